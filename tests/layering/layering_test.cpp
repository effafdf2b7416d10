// The arrows of the house that the order of its rooms (stairs.txt, scripts/house) does not forbid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace speclab {
namespace {

namespace fs = std::filesystem;

struct Rule {
  std::string folder;
  std::vector<std::string> forbidden;  ///< beginnings of include paths
  std::vector<std::string> exempt{};   ///< beginnings of the paths of files that may
};

const std::vector<std::string> kTorch{"torch/", "ATen/", "c10/", "caffe2/"};

/// Rooms that only the engines library knows: programs open it behind engines/interface.
const std::vector<std::string> kEnginesWithinDoors{
    "engines/constraints/", "engines/cpu/",      "engines/cuda/",      "engines/decoding/",
    "engines/device/",      "engines/drafters/", "engines/factory/",   "engines/families/",
    "engines/formats/",     "engines/models/",   "engines/ngrams/",    "engines/reference/",
    "engines/sampling/",    "engines/search/",   "engines/templates/", "engines/tokenizers/",
    "engines/training/",    "engines/verifiers/"};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"sim", kTorch},
      {"analysis", kTorch},
      {"experiments", kTorch},
      // its devices and its version are asked for in the factory
      {"engines", kTorch, {"engines/reference/", "engines/training/torch/", "engines/factory/"}},
      {"engines",
       {"engines/reference/"},
       {"engines/reference/", "engines/training/torch/", "engines/factory/"}},
      // CUDA's headers stay with what calls its runtime
      {"engines", {"cuda"}, {"engines/cuda/"}},
      {"engines", {"engines/cuda/"}, {"engines/cuda/", "engines/factory/"}},
      {"engines",
       {"sim/analytic/", "sim/monte_carlo/", "sim/policies/auto_policy.h",
        "sim/policies/clairvoyant_policy.h"}},
      {"analysis", {"engines/"}},
      {"sim", {"tests/"}},
      {"engines", {"tests/"}},
      {"analysis", {"tests/"}},
      {"experiments", {"tests/"}},
      {"experiments",
       kEnginesWithinDoors,
       {"experiments/bench/"}},  // which time the parts themselves
  };
  return all;
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".cu" || extension == ".cuh";
}

/// Included paths of a file, without quotes or brackets.
std::vector<std::string> includes(const fs::path& file) {
  std::vector<std::string> paths;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", word);
    const std::size_t close =
        open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close != std::string::npos) paths.push_back(line.substr(open + 1, close - open - 1));
  }
  return paths;
}

bool begins_with_one_of(const std::string& path, const std::vector<std::string>& beginnings) {
  return std::ranges::any_of(
      beginnings, [&](const std::string& beginning) { return path.starts_with(beginning); });
}

std::vector<std::string> violations(const fs::path& root, const Rule& rule) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / rule.folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    if (begins_with_one_of(file, rule.exempt)) continue;
    for (const std::string& path : includes(entry.path()))
      if (begins_with_one_of(path, rule.forbidden)) found.push_back(file + " includes " + path);
  }
  return found;
}

TEST(Layering, NoFolderIncludesWhatItMustNotKnow) {
  for (const Rule& rule : rules())
    for (const std::string& violation : violations(SPECLAB_SOURCE_DIR, rule))
      ADD_FAILURE() << violation;
}

TEST(Layering, SeesAViolation) {
  const fs::path root = fs::path(::testing::TempDir()) / "speclab_layering_test";
  fs::create_directories(root / "sim" / "core");
  std::ofstream(root / "sim" / "core" / "law.h")
      << "#pragma once\n  #  include <ATen/core/Tensor.h>\n// #include <torch/torch.h>\n";
  EXPECT_EQ(violations(root, {"sim", kTorch}),
            (std::vector<std::string>{"sim/core/law.h includes ATen/core/Tensor.h"}));
  EXPECT_TRUE(violations(root, {"sim", kTorch, {"sim/core/"}}).empty());
  fs::remove_all(root);
}

// Defect: an exemption or a rule for a folder that was renamed, which then holds for nothing.
TEST(Layering, EveryFolderOfARuleIsThere) {
  for (const Rule& rule : rules()) {
    std::vector<std::string> folders = rule.exempt;
    folders.push_back(rule.folder);
    if (rule.forbidden == kEnginesWithinDoors)
      folders.insert(folders.end(), rule.forbidden.begin(), rule.forbidden.end());
    for (const std::string& folder : folders)
      EXPECT_TRUE(fs::is_directory(fs::path(SPECLAB_SOURCE_DIR) / folder)) << folder;
    for (const std::string& header : rule.forbidden)
      if (header.starts_with("sim/") && header.ends_with(".h"))
        EXPECT_TRUE(fs::exists(fs::path(SPECLAB_SOURCE_DIR) / header)) << header;
  }
}

}  // namespace
}  // namespace speclab
