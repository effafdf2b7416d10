#pragma once
// Runs of the seeded programs of one catalogue.

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace speclab::defects {

struct Defect {
  std::string name, wrong, wild, file;
  std::vector<std::string> killed_by;
};

void PrintTo(const Defect& defect, std::ostream* out);

const std::vector<Defect>& catalogue();

inline constexpr const char* kNoDefect = "";

/// What a program of the build prints, run with a defect.
std::string output_of(const std::string& defect, const std::string& command);

/// What the seeded tests print, run with a defect and the one test.
std::string run_test(const std::string& defect, const std::string& test);

/// A column that a catalogue's table has besides the common ones.
struct ExtraColumn {
  std::string title;
  std::function<std::string(const Defect&)> cell;
};

/// Defined by each catalogue's suite.
std::optional<ExtraColumn> extra_column();

}  // namespace speclab::defects
