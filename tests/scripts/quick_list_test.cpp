// The list of cases that scripts/test --quick leaves out.

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "sim/system/files.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;

/// All sources of the tests, each run of white space as one blank.
std::string all_sources() {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(SPECLAB_SOURCE_DIR "/tests")) {
    if (entry.path().extension() != ".cpp") continue;
    std::istringstream words(read_file(entry.path()));
    for (std::string word; words >> word;) all += word + " ";
  }
  return all;
}

/// Defect: a case is renamed, so that its line leaves out nothing and the quick tests grow slow.
TEST(QuickList, NamesCasesThatExist) {
  const std::string sources = all_sources();
  std::istringstream lines(read_file(SPECLAB_SOURCE_DIR "/tests/left_out_when_quick.txt"));
  int names = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    ++names;
    if (line.starts_with('*')) line.erase(0, 1);
    if (line.ends_with("/*")) line.resize(line.size() - 2);
    const std::string suite = line.substr(0, line.find('.')),
                      name = line.substr(line.find('.') + 1),
                      wanted = name == "*" ? "(" + suite + ", " : "(" + suite + ", " + name + ")";
    EXPECT_NE(sources.find(wanted), std::string::npos) << line;
  }
  EXPECT_GE(names, 10);
}

}  // namespace
}  // namespace speclab
