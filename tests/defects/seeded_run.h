#pragma once
// Runs of the seeded programs of one catalogue.

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace speclab::defects {

struct Defect {
  std::string name, wrong, wild, file;
  std::vector<std::string> killed_by;
  std::string sampled;  ///< rule whose goodness of fit shows it; empty where that test does not
                        ///< reach the place
  std::string suite;    ///< the test that its killers are of; empty where the catalogue has one
  std::string part;     ///< of the program; empty where the catalogue is of one
};

void PrintTo(const Defect& defect, std::ostream* out);

const std::vector<Defect>& catalogue();

inline constexpr const char* kNoDefect = "";

/// What a program of the build prints, run with a defect; `environment` holds further settings as a
/// shell writes them.
std::string output_of(const std::string& defect, const std::string& command,
                      const std::string& environment = "");

/// The program of the seeded tests. @param suite  of a defect
std::string seeded_tests(const std::string& suite);

/// What the seeded tests print, run with a defect and the one test.
std::string run_test(const std::string& defect, const std::string& suite, const std::string& test);

/// A column of the table beside a catalogue.
struct Column {
  std::string title;
  std::function<std::string(const Defect&)> cell;
};

Column name_column();
Column wrong_column();
Column wild_column();
Column killed_by_column();

/// Those of a catalogue's table; defined by its suite.
std::vector<Column> columns();

}  // namespace speclab::defects
