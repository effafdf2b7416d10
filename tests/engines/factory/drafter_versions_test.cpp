// Which version of a drafter a process drafts with.
#include <gtest/gtest.h>

#include <filesystem>

#include "engines/interface/engines.h"
#include "experiments/drivers/program/engines_loader.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

namespace fs = std::filesystem;

/// Defect: a version that comes while a process drafts is named as the one that drafts.
TEST(DrafterVersions, AreHeldFromTheFirstQuestionOn) {
  const speclab::testing::TemporaryFolder folder;
  const std::string models = SPECLAB_SOURCE_DIR "/results/models/";
  const auto add = [&](const char* version, const std::string& model) {
    fs::create_directories(folder.path("draft"));
    fs::copy(models + model, folder.path("draft/") + version);
  };
  const DrafterOptions options{.kind = "ngram", .model = folder.path("draft")};
  add("v1", "smollm2-unigram/v1");
  const auto engines = experiments::open_engines();
  const auto first = engines->drafter_info(options);
  add("v2", "smollm2-bigram/v2");
  const auto later = engines->drafter_info(options);
  EXPECT_EQ(first->version, "draft/v1");
  EXPECT_EQ(later->version, "draft/v1");
  EXPECT_EQ(later->sha256, first->sha256);
  EXPECT_EQ(later->name, first->name);
  EXPECT_EQ(experiments::open_engines()->drafter_info(options)->version, "draft/v2");
}

}  // namespace
}  // namespace speclab::engines
