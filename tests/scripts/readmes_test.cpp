// The READMEs: their length, their links and the figures in them.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/files.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SPECLAB_SOURCE_DIR;

/// README.md and the README of each top folder that has one.
std::vector<fs::path> folder_readmes() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.is_directory() && fs::exists(entry.path() / "README.md"))
      pages.push_back(entry.path() / "README.md");
  return pages;
}

std::vector<std::string> lines_of(const fs::path& page) {
  std::istringstream text(read_file(page));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// The page without its code blocks.
std::string prose_of(const fs::path& page) {
  std::string prose;
  bool is_code = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) is_code = !is_code;
    if (!is_code) prose += line + "\n";
  }
  return prose;
}

std::ptrdiff_t count(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}

/// The block of README.md that `speclab summary` prints, between its marks.
struct Figures {
  std::string block, others;
};

Figures figures() {
  const std::string page = prose_of(kRoot / "README.md"), begin = "<!-- figures -->",
                    end = "<!-- end figures -->";
  const std::size_t first = page.find(begin), last = page.find(end);
  EXPECT_TRUE(first != std::string::npos && last != std::string::npos && first < last);
  return {page.substr(first, last - first), page.substr(0, first) + page.substr(last)};
}

/// Defect: the first page grows until nobody reads it.
TEST(Readmes, OfTheProjectHas200LinesAndOfAFolder40) {
  EXPECT_LE(lines_of(kRoot / "README.md").size(), 200u);
  EXPECT_GE(folder_readmes().size(), 6u);
  for (const fs::path& page : folder_readmes()) EXPECT_LE(lines_of(page).size(), 40u) << page;
}

/// Defect: measured figures are typed by hand and turn false at the next training.
TEST(Readmes, ShowMeasuredFiguresOnlyInTheGeneratedBlock) {
  const Figures parts = figures();
  EXPECT_LE(count(parts.block, "[0-9]+(\\.[0-9]+)?"), 40);
  EXPECT_EQ(count(parts.others, "\\[[0-9.]+, [0-9.]+\\]"), 0) << "an interval";
  EXPECT_EQ(count(parts.others, "[0-9] %"), 0) << "a share";
}

/// Defect: a link points at a file that moved.
TEST(Readmes, LinkToFilesThatExist) {
  std::vector<fs::path> pages = folder_readmes();
  pages.push_back(kRoot / "README.md");
  std::ptrdiff_t links = 0;
  for (const fs::path& page : pages) {
    const std::string prose = prose_of(page);
    const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
    for (std::sregex_iterator at(prose.begin(), prose.end(), link), end; at != end; ++at, ++links) {
      const std::string target = (*at)[1];
      if (!target.starts_with("http"))
        EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << ": " << target;
    }
  }
  EXPECT_GE(links, 15);
}

}  // namespace
}  // namespace speclab
