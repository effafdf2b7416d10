#include "experiments/drivers/commands/drafter_folders.h"

#include <gtest/gtest.h>

#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

constexpr const char* kModels = SPECLAB_SOURCE_DIR "/results/models";

/// Defect: `models inspect` of n-grams asked for a config.json.
TEST(DrafterFolders, AreDescribedByTheirManifests) {
  const std::string folder = std::string(kModels) + "/qwen2.5-coder-0.5b-trigram";
  for (const std::string& path : {folder, folder + "/", folder + "/ngram.bin"}) {
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

}  // namespace
}  // namespace speclab::experiments
