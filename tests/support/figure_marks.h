#pragma once
// The numbers behind the marks of figures that are drawn from tests/golden/runs, compared as text.
// No drawing program is asked: stand-ins of tests/support/marks_only write what they were to draw.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "sim/system/files.h"

namespace speclab::testing {

inline const std::string kStandIns = SPECLAB_SOURCE_DIR "/tests/support/marks_only";

/// Before a command that is to write marks in place of figures.
inline const std::string kMarksOnly = "PATH=" + kStandIns + ":\"$PATH\" ";

/// This process writes marks in place of figures as long as the object lives.
class MarksOnly {
 public:
  MarksOnly() { setenv("PATH", (kStandIns + ":" + path_).c_str(), 1); }
  ~MarksOnly() { setenv("PATH", path_.c_str(), 1); }
  MarksOnly(const MarksOnly&) = delete;
  MarksOnly& operator=(const MarksOnly&) = delete;

 private:
  std::string path_ = std::getenv("PATH");
};

/// Text and marks of every figure beneath `drawn`, behind its path.
inline std::string marks_beneath(const std::filesystem::path& drawn) {
  std::map<std::string, std::string> figures;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(drawn))
    if (entry.path().extension() == ".pdf")
      figures[entry.path().lexically_relative(drawn).replace_extension().string()] =
          read_file(entry.path().string());
  std::string text;
  for (const auto& [name, marks] : figures)
    text += "figure " + name + "\n" + marks.substr(0, marks.rfind("%%EOF")) + "\n";
  return text;
}

/// The first line that differs between two texts: its number, and the line in both.
inline std::string first_difference(const std::string& expected, const std::string& found) {
  std::istringstream expected_lines(expected), found_lines(found);
  std::string expected_line, found_line;
  for (int number = 1; expected_lines || found_lines; ++number) {
    if (!std::getline(expected_lines, expected_line)) expected_line = "(end)";
    if (!std::getline(found_lines, found_line)) found_line = "(end)";
    if (expected_line != found_line)
      return std::to_string(number) + ": '" + expected_line + "' is now '" + found_line + "'";
  }
  return "";
}

/// The figures beneath `drawn`, which stand-ins drew, are those of `part`: no more, no fewer, and
/// with the same numbers.
inline void expect_golden_marks(const std::string& part, const std::filesystem::path& drawn) {
  const std::filesystem::path golden =
      std::filesystem::path(SPECLAB_SOURCE_DIR "/tests/golden/runs/figure_marks") / (part + ".txt");
  const std::string found = marks_beneath(drawn);
  const std::string difference =
      first_difference(std::filesystem::exists(golden) ? read_file(golden.string()) : "", found);
  if (difference.empty() && !found.empty()) return;
  const std::filesystem::path kept =
      std::filesystem::path(::testing::TempDir()) / "figure_marks" / (part + ".txt");
  std::filesystem::create_directories(kept.parent_path());
  write_file(kept.string(), found);
  ADD_FAILURE() << golden.string() << ":" << difference << "; if the new marks are right, copy "
                << kept.string() << " there";
}

}  // namespace speclab::testing
