// The arrows of the house: what each folder may include.
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
    "engines/constraints/", "engines/cpu/",       "engines/cuda/",     "engines/decoding/",
    "engines/device/",      "engines/drafters/",  "engines/factory/",  "engines/families/",
    "engines/formats/",     "engines/models/",    "engines/ngrams/",   "engines/reference/",
    "engines/sampling/",    "engines/search/",    "engines/templates/", "engines/tokenizers/",
    "engines/training/",    "engines/verifiers/"};

/// Arrows that the order of the stairs does not forbid.
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

/// Rooms of stairs.txt, lowest first.
std::vector<std::string> stairs() {
  std::vector<std::string> rooms;
  std::ifstream stream(SPECLAB_SOURCE_DIR "/tests/layering/stairs.txt");
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#') rooms.push_back(line);
  return rooms;
}

/// Index of the room whose folder holds `path`, the deepest one; rooms.size() if there is none.
std::size_t room_of(const std::vector<std::string>& rooms, const std::string& path) {
  std::size_t found = rooms.size();
  for (std::size_t i = 0; i < rooms.size(); ++i)
    if (path.starts_with(rooms[i] + "/") &&
        (found == rooms.size() || rooms[i].size() > rooms[found].size()))
      found = i;
  return found;
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

/// Calls `look` with every source below a folder, and its path from the root.
template <typename Look>
void for_each_source(const fs::path& root, const std::string& folder, const Look& look) {
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.is_regular_file() && is_source(entry.path()))
      look(entry.path(), fs::relative(entry.path(), root).generic_string());
}

std::vector<std::string> violations(const fs::path& root, const Rule& rule) {
  std::vector<std::string> found;
  for_each_source(root, rule.folder, [&](const fs::path& path, const std::string& file) {
    if (begins_with_one_of(file, rule.exempt)) return;
    for (const std::string& include : includes(path))
      if (begins_with_one_of(include, rule.forbidden)) found.push_back(file + " includes " + include);
  });
  return found;
}

/// Includes that run up the stairs, and files outside every room.
std::vector<std::string> climbs(const fs::path& root, const std::vector<std::string>& rooms) {
  std::vector<std::string> found;
  for (const std::string folder : {"sim", "engines", "analysis", "experiments"})
    for_each_source(root, folder, [&](const fs::path& path, const std::string& file) {
      const std::size_t own = room_of(rooms, file);
      if (own == rooms.size()) found.push_back(file + " is in no room of stairs.txt");
      for (const std::string& include : includes(path)) {
        const std::size_t other = room_of(rooms, include);
        if (other < rooms.size() && other > own)
          found.push_back(file + " includes " + include + ", which stands higher");
      }
    });
  return found;
}

TEST(Layering, NoFolderIncludesWhatItMustNotKnow) {
  for (const Rule& rule : rules())
    for (const std::string& violation : violations(SPECLAB_SOURCE_DIR, rule))
      ADD_FAILURE() << violation;
}

// Defect: an include from a room to one that stands above it, which closes a circle.
TEST(Layering, NoIncludeRunsUpTheStairs) {
  for (const std::string& climb : climbs(SPECLAB_SOURCE_DIR, stairs())) ADD_FAILURE() << climb;
}

// Defect: a room whose includes nobody looks at.
TEST(Layering, SeesAClimbOutOfEveryRoom) {
  const std::vector<std::string> rooms = stairs();
  const fs::path root = fs::path(::testing::TempDir()) / "speclab_stairs_test";
  for (const char* folder : {"sim", "engines", "analysis", "experiments"})
    fs::create_directories(root / folder);
  for (std::size_t i = 0; i + 1 < rooms.size(); ++i) {
    const std::string include = rooms[i + 1] + "/planted.h", file = rooms[i] + "/planted.cpp";
    fs::create_directories(root / rooms[i]);
    std::ofstream(root / file) << "#include \"" << include << "\"\n";
    EXPECT_EQ(climbs(root, rooms), std::vector<std::string>{file + " includes " + include +
                                                            ", which stands higher"});
    fs::remove(root / file);
  }
  fs::remove_all(root);
}

// Defect: a name in stairs.txt that no folder has, as after a move.
TEST(Layering, EveryRoomOfTheStairsIsThereOnce) {
  const std::vector<std::string> rooms = stairs();
  for (const std::string& room : rooms) {
    EXPECT_TRUE(fs::is_directory(fs::path(SPECLAB_SOURCE_DIR) / room)) << room;
    EXPECT_EQ(std::ranges::count(rooms, room), 1) << room;
  }
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
  }
}

}  // namespace
}  // namespace speclab
