// The tree stays light: its size, the committed results, the tables of their READMEs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;
using testing::run_shell;

struct Limits {
  std::uintmax_t tree_bytes = 70'000'000, reference_bytes = 15'000'000;
  std::size_t reference_files = 300, readme_lines = 30;
};

struct Listing {
  std::vector<std::string> files;
  std::string error{};
};

/// Files that git tracks below `root`.
Listing tracked_files(const std::string& root) {
  const testing::Outcome listed =
      run_shell("git -c safe.directory='*' -C '" + root + "' ls-files -z 2>&1");
  if (listed.code != 0)
    return {.files = {},
            .error = "git does not list the files of " + root +
                     ", so nobody knows what is committed; run this test in a checkout, with git "
                     "installed: " +
                     listed.output};
  std::istringstream names(listed.output);
  Listing listing;
  for (std::string name; std::getline(names, name, '\0');)
    if (fs::exists(root + "/" + name)) listing.files.push_back(name);
  if (listing.files.empty()) listing.error = "git tracks no file of " + root;
  return listing;
}

bool is_below(const std::string& file, const std::string& folder) {
  return file.starts_with(folder + "/");
}

bool is_image(const std::string& file) {
  static const std::set<std::string> kEndings{".png", ".svg", ".pdf", ".jpg", ".jpeg", ".gif"};
  return kEndings.contains(fs::path(file).extension().string());
}

/// A table of single generations, rounds, places or pairs, or an archive that may hold some.
bool is_raw_table(const std::string& file) {
  static const std::set<std::string> kNames{
      "rows.csv",     "rounds.csv",     "times.csv", "timeline.csv", "pace.csv",
      "siblings.csv", "acceptance.csv", "pairs.csv", "texts.jsonl",  "drafts.jsonl"};
  const std::string name = fs::path(file).filename().string();
  if (is_below(file, "results/models") && name == "acceptance.csv") return false;  // sums
  return kNames.contains(name) || name.find(".tar") != std::string::npos ||
         name.ends_with(".zip") || name.ends_with(".gz");
}

bool may_be_raw(const std::string& file) {
  return is_below(file, "tests/golden") || is_below(file, "results/reference/quickstart_cpu");
}

/// Paths from the root of all images that a Markdown file shows.
std::set<std::string> shown_images(const std::string& root, const std::vector<std::string>& files) {
  static const std::regex kImage(R"(!\[[^\]]*\]\(([^)\s]+))");
  std::set<std::string> shown;
  for (const std::string& file : files) {
    if (!file.ends_with(".md")) continue;
    const std::string text = read_file(root + "/" + file);
    for (std::sregex_iterator image(text.begin(), text.end(), kImage), end; image != end; ++image)
      shown.insert((fs::path(file).parent_path() / (*image)[1].str()).lexically_normal().string());
  }
  return shown;
}

std::uintmax_t bytes_of(const std::string& root, const std::vector<std::string>& files,
                        const std::string& folder = "") {
  std::uintmax_t bytes = 0;
  for (const std::string& file : files)
    if (folder.empty() || is_below(file, folder)) bytes += fs::file_size(root + "/" + file);
  return bytes;
}

std::string above(const std::string& what, std::uintmax_t found, std::uintmax_t allowed) {
  return what + ": " + std::to_string(found) + "; allowed: " + std::to_string(allowed) + "\n";
}

std::string size_complaints(const std::string& root, const std::vector<std::string>& files,
                            const Limits& limits) {
  constexpr const char* kReference = "results/reference";
  std::string complaints;
  if (const auto bytes = bytes_of(root, files); bytes > limits.tree_bytes)
    complaints += above("bytes of the tree", bytes, limits.tree_bytes);
  if (const auto bytes = bytes_of(root, files, kReference); bytes > limits.reference_bytes)
    complaints += above("bytes of results/reference", bytes, limits.reference_bytes);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      files, [](const std::string& file) { return is_below(file, kReference); }));
  if (count > limits.reference_files)
    complaints += above("files of results/reference", count, limits.reference_files);
  return complaints;
}

std::string readme_complaint(const std::string& root, const std::string& file,
                             const Limits& limits) {
  if (!is_below(file, "results/reference") || !file.ends_with("/README.md")) return "";
  const std::string text = read_file(root + "/" + file);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return lines > limits.readme_lines ? above("lines of " + file, lines, limits.readme_lines) : "";
}

/// What is wrong with the files that git tracks below `root`; empty if nothing is.
std::string complaints(const std::string& root, const Limits& limits = {}) {
  const auto [files, error] = tracked_files(root);
  if (!error.empty()) return error;
  const std::set<std::string> shown = shown_images(root, files);
  std::string complaints = size_complaints(root, files, limits);
  for (const std::string& file : files) {
    if (is_below(file, "results") && is_image(file) && !shown.contains(file))
      complaints += file + ": no Markdown file shows this image; remove it, or show it\n";
    if (is_raw_table(file) && !may_be_raw(file))
      complaints += file + ": a raw table; commit the tables made from it (results/README.md)\n";
    complaints += readme_complaint(root, file, limits);
  }
  return complaints;
}

/// A repository of planted files, which the destructor removes.
class PlantedTree {
 public:
  PlantedTree() {
    fs::remove_all(root_);
    plant("README.md", "# Planted\n![shown](results/reference/run/shown.svg)\n");
    plant("results/reference/run/shown.svg", "<svg/>\n");
    plant("results/reference/quickstart_cpu/rows.csv", "row_id\n");
    plant("results/models/drafter/acceptance.csv", "drafter\n");
    plant("tests/golden/runs/run/rounds.csv", "row_id\n");
    EXPECT_EQ(run_shell("git -c safe.directory='*' -C '" + root_ + "' init --quiet 2>&1").code, 0);
  }
  ~PlantedTree() { fs::remove_all(root_); }
  PlantedTree(const PlantedTree&) = delete;
  PlantedTree& operator=(const PlantedTree&) = delete;

  void plant(const std::string& file, const std::string& content) {
    fs::create_directories(fs::path(root_ + "/" + file).parent_path());
    write_file(root_ + "/" + file, content);
  }
  std::string complaints(const Limits& limits = {}) {
    EXPECT_EQ(run_shell("git -c safe.directory='*' -C '" + root_ + "' add --all 2>&1").code, 0);
    return speclab::complaints(root_, limits);
  }

 private:
  std::string root_ = ::testing::TempDir() + "/speclab_planted_tree";
};

/// Defect: results grow until nobody wants to clone the tree.
TEST(ResultsSize, IsWithinTheLimits) { EXPECT_EQ(complaints(SPECLAB_SOURCE_DIR), ""); }

/// Defect: the check passes whatever is committed.
TEST(ResultsSize, SeesWhatIsTooLarge) {
  PlantedTree tree;
  EXPECT_EQ(tree.complaints(), "");
  EXPECT_NE(tree.complaints({.tree_bytes = 50}).find("bytes of the tree: "), std::string::npos);
  EXPECT_NE(tree.complaints({.reference_bytes = 10}).find("bytes of results/reference: "),
            std::string::npos);
  EXPECT_EQ(tree.complaints({.reference_files = 1}), "files of results/reference: 2; allowed: 1\n");
  tree.plant("results/reference/run/README.md", std::string(31, '\n'));
  EXPECT_EQ(tree.complaints(), "lines of results/reference/run/README.md: 31; allowed: 30\n");
}

/// Defect: an image that nobody sees, or a raw table, is committed.
TEST(ResultsSize, SeesImagesThatNobodyShowsAndRawTables) {
  for (const char* file :
       {"results/reference/run/hidden.svg", "results/models/drafter/loss.png",
        "results/reference/run/rows.csv", "results/reference/run/raw_rows.tar.xz",
        "results/models/drafter/siblings.csv", "experiments/timeline.csv"}) {
    PlantedTree tree;
    tree.plant(file, "planted\n");
    EXPECT_TRUE(tree.complaints().starts_with(std::string(file) + ": ")) << file;
  }
}

/// Defect: without git or a checkout the check sees no file, and passes.
TEST(ResultsSize, FailsOutsideACheckout) {
  const std::string folder = ::testing::TempDir() + "/speclab_no_checkout";
  fs::create_directories(folder);
  EXPECT_NE(complaints(folder + "/nowhere").find("run this test in a checkout"), std::string::npos);
}

testing::Outcome check_tables(const std::string& readme = "") {
  return run_shell(SPECLAB_SOURCE_DIR "/scripts/results_tables --check " + readme + " 2>&1");
}

/// Defect: a number in a README of a run is not that of its table.
TEST(ResultsTables, AreWhatTheirFilesGive) {
  const testing::Outcome outcome = check_tables();
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

/// Defect: the check passes whatever a README says.
TEST(ResultsTables, SeeANumberThatWasChanged) {
  const std::string folder = ::testing::TempDir() + "/speclab_planted_tables",
                    readme = folder + "/README.md";
  fs::create_directories(folder);
  write_file(folder + "/cells.csv", "drafter,speedup,speedup_low,speedup_high\na,1.5,1.25,2\n");
  const std::string before =
                        "<!-- table: cells.csv rows=drafter columns=none value=speedup -->\n"
                        "| drafter | speedup |\n| --- | --- |\n| a | ",
                    after = " [1.25, 2.00] |\n<!-- end table -->\n";
  write_file(readme, before + "1.50" + after);
  EXPECT_EQ(check_tables(readme).code, 0) << check_tables(readme).output;
  write_file(readme, before + "1.60" + after);
  EXPECT_EQ(check_tables(readme).code, 1);
  write_file(folder + "/cells.csv", "drafter\na\n");
  EXPECT_EQ(check_tables(readme).code, 2);
}

/// Defect: an end just below 1 prints as 1.00, as if a gain were shown.
TEST(ResultsTables, ShowOnWhichSideOfOneAnEndLies) {
  const std::string folder = ::testing::TempDir() + "/speclab_ends_near_one",
                    readme = folder + "/README.md";
  fs::create_directories(folder);
  write_file(folder + "/cells.csv",
             "drafter,speedup,speedup_low,speedup_high\na,1.004,0.998,1.003\nb,1,1,1\n");
  write_file(readme,
             "<!-- table: cells.csv rows=drafter columns=none value=speedup -->\n"
             "| drafter | speedup |\n| --- | --- |\n| a | 1.00 [0.998, 1.003] |\n"
             "| b | 1.00 [1.00, 1.00] |\n<!-- end table -->\n");
  EXPECT_EQ(check_tables(readme).code, 0) << check_tables(readme).output;
}

/// Defect: a key of a setting is no column, or a mistyped column chooses lines.
TEST(ResultsTables, TakeTheKeysOfASettingAsColumns) {
  const std::string folder = ::testing::TempDir() + "/speclab_settings_table",
                    readme = folder + "/README.md";
  fs::create_directories(folder);
  write_file(folder + "/cells.csv",
             "setting,quantity,ours\ntarget=a;bridge=x,speed,1\ntarget=a;bridge=y,speed,2\n"
             "target=a;bridge=y,tokens,3\ntarget=a;bridge=y,steps,4\n");
  const auto code = [&](const std::string& where) {
    write_file(
        readme,
        "<!-- table: cells.csv rows=target,quantity columns=bridge value=ours where=" + where +
            " -->\n| target | quantity | bridge x | bridge y |\n"
            "| --- | --- | --- | --- |\n| a | speed | 1 | 2 |\n"
            "| a | tokens |  | 3 |\n<!-- end table -->\n");
    return check_tables(readme).code;
  };
  EXPECT_EQ(code("quantity:speed|tokens"), 0);
  EXPECT_EQ(code("quantity:speed"), 1);
  EXPECT_EQ(code("quality:speed|tokens"), 2);
}

/// Defect: a second value of a place is lost, a count is another number, or a loss of nothing is
/// -0.
TEST(ResultsTables, ShowTwoValuesOrCountLines) {
  const std::string folder = ::testing::TempDir() + "/speclab_counted_table",
                    readme = folder + "/README.md";
  fs::create_directories(folder);
  write_file(folder + "/cells.csv",
             "policy,drafter,timed,timed_low,timed_high,priced\n"
             "auto,a,-1e-16,-1e-16,-1e-16,0.5\nauto,b,0.25,0.125,0.5,0.75\n");
  write_file(
      readme,
      "<!-- table: cells.csv rows=policy columns=drafter value=timed,priced percent=yes -->\n"
      "| policy | drafter a: timed | drafter b: timed | drafter a: priced | drafter b: priced |\n"
      "| --- | --- | --- | --- | --- |\n"
      "| auto | 0.0 [0.0, 0.0] | 25.0 [12.5, 50.0] | 50.0 | 75.0 |\n<!-- end table -->\n"
      "<!-- table: cells.csv rows=policy columns=drafter count=lines -->\n"
      "| policy | drafter a | drafter b |\n| --- | --- | --- |\n| auto | 1 | 1 |\n"
      "<!-- end table -->\n");
  EXPECT_EQ(check_tables(readme).code, 0) << check_tables(readme).output;
}

}  // namespace
}  // namespace speclab
