#include "experiments/drivers/commands/drafter_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "analysis/tables/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "sim/system/versions.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

constexpr const char* kModels = SPECLAB_SOURCE_DIR "/results/models";

/// Defect: `models inspect` of n-grams asked for a config.json.
TEST(DrafterFolders, AreDescribedByTheirManifests) {
  const std::string folder = std::string(kModels) + "/qwen2.5-coder-0.5b-trigram";
  for (const std::string& path : {folder, folder + "/", folder + "/v1/ngram.bin"}) {
    const auto page = described_drafter(path);
    ASSERT_TRUE(page) << path;
    EXPECT_EQ(page->at("kind"), "ngram");
    EXPECT_EQ(page->at("order"), 3);
    EXPECT_EQ(page->at("target"), "qwen2.5-coder-0.5b");
    EXPECT_GT(page->at("bytes").get<int>(), 1000);
  }
  EXPECT_EQ(described_drafter(std::string(kModels) + "/smollm2-mlp")->at("kind"), "mlp_speculator");
}

TEST(DrafterFolders, OtherFoldersAreNone) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(described_drafter(folder.path()));
  folder.file("manifest.json", "{\"kind\": [1], \"target\": 1}");
  EXPECT_FALSE(described_drafter(folder.path()));
  EXPECT_FALSE(described_drafter("smollm2-135m"));
}

TEST(DrafterFolders, AreFoundBelowAFolder) {
  EXPECT_GE(drafter_folders(kModels).size(), 9u);
  EXPECT_TRUE(drafter_folders("/nowhere").empty());
}

/// Paths below a folder that end so.
std::vector<std::string> files_below(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().string().ends_with(ending)) files.push_back(file.path().string());
  return files;
}

/// "NAME/v1" of every committed version, by the SHA-256 of its weights.
std::map<std::string, std::string> committed_versions() {
  std::map<std::string, std::string> versions;
  for (const std::string& file : files_below(kModels, "/manifest.json"))
    versions[nlohmann::json::parse(read_file(file)).at("sha256")] =
        version_name(std::filesystem::path(file).parent_path().string());
  return versions;
}

/// Defect: weights were exchanged under a version's name.
TEST(CommittedDrafters, HaveTheVersionAndTheDigestThatTheirManifestsTell) {
  for (const std::string& file : files_below(kModels, "/manifest.json")) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    const auto manifest = nlohmann::json::parse(read_file(file));
    EXPECT_GT(version_of_path(folder), 0) << folder;
    EXPECT_EQ(manifest.at("version"), version_of_path(folder)) << folder;
    for (const char* weights : {"/ngram.bin", "/model.safetensors"})
      if (std::filesystem::exists(folder + weights)) {
        EXPECT_EQ(manifest.at("sha256"), sha256_file(folder + weights)) << folder;
      }
  }
}

/// Defect: old weights stay in the tree, which grows with every training.
TEST(CommittedDrafters, HaveWeightsInTheirNewestVersionAlone) {
  for (const auto& drafter : std::filesystem::directory_iterator(kModels)) {
    const std::string folder = drafter.path().string();
    const std::int64_t newest = versions_in(folder).back();
    EXPECT_EQ(newest_version(folder), version_folder(folder, newest));
    for (const std::int64_t version : versions_in(folder))
      if (version != newest) {
        EXPECT_THROW(newest_version(version_folder(folder, version)), ConfigError) << folder;
      }
  }
}

/// Defect: a new drafter makes a committed run one of weights that it never read.
TEST(CommittedDrafters, AreNamedWithTheirVersionsByCommittedRuns) {
  const std::map<std::string, std::string> versions = committed_versions();
  std::size_t num_named = 0;
  for (const std::string& file : files_below(SPECLAB_SOURCE_DIR "/results/reference", ".toml")) {
    for (const analysis::ModelProvenance& model : analysis::read_manifest(file).models) {
      const auto version = versions.find(model.sha256);
      EXPECT_EQ(model.version, version == versions.end() ? "" : version->second)
          << file << ": " << model.name;
      num_named += !model.version.empty();
    }
  }
  EXPECT_GT(num_named, 80u);
}

/// Defect: a committed config or manifest names a drafter that the next training replaces. A
/// training writes into the folder of all versions, so `output` is exempt.
TEST(CommittedDrafters, AreNamedWithTheirVersionsByCommittedConfigs) {
  static const std::regex kNamed(R"re(\n(\w+) = "(?:[^"\n]*results/models/)?([\w.-]+)(/v\d+)?")re");
  std::size_t num_named = 0;
  for (const char* folder : {"/experiments/configs", "/results/reference"})
    for (const std::string& file : files_below(SPECLAB_SOURCE_DIR + std::string(folder), ".toml")) {
      const std::string text = read_file(file);
      for (std::sregex_iterator at(text.begin(), text.end(), kNamed), end; at != end; ++at) {
        const std::string drafter = std::string(kModels) + "/" + (*at)[2].str();
        if ((*at)[1] == "output" || !std::filesystem::is_directory(drafter)) continue;
        ++num_named;
        EXPECT_TRUE(std::filesystem::is_directory(drafter + (*at)[3].str()) && (*at)[3].matched)
            << file << ": " << (*at)[0];
      }
    }
  EXPECT_GT(num_named, 90u);
}

}  // namespace
}  // namespace speclab::experiments
