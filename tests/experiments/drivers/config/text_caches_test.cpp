#include "experiments/drivers/config/train_config.h"

#include <gtest/gtest.h>

namespace speclab::experiments {
namespace {

engines::TrainOptions named(const std::string& sha256, void (*change)(engines::TrainOptions&)) {
  engines::TrainOptions options;
  change(options);
  name_text_caches({.sha256 = sha256}, options);
  return options;
}

/// Defect: the text of a second target was refused because the first one's had the same file.
TEST(TextCaches, HaveAFileForEveryTargetAndChoice) {
  const auto as_it_is = [](engines::TrainOptions&) {};
  const auto first = named("1", as_it_is), second = named("2", as_it_is);
  EXPECT_NE(first.own_text.cache_file, second.own_text.cache_file);
  EXPECT_NE(first.text.cache_file, second.text.cache_file);
  const auto longer = named("1", [](auto& options) { options.own_text.max_new_tokens += 1; });
  EXPECT_NE(first.own_text.cache_file, longer.own_text.cache_file);
  const auto with_states = named("1", [](auto& options) { options.own_text.keeps_hidden = true; });
  EXPECT_NE(first.own_text.cache_file, with_states.own_text.cache_file);
}

TEST(TextCaches, AreSharedByDraftersAndKeepTheNamesThatAreGiven) {
  const auto ngram = named("1", [](auto& options) { options.drafter = "ngram"; });
  const auto transformer = named("1", [](auto& options) { options.drafter = "small_transformer"; });
  EXPECT_EQ(ngram.own_text.cache_file, transformer.own_text.cache_file);
  const auto given = named("1", [](auto& options) { options.own_text.cache_file = "mine.bin"; });
  EXPECT_EQ(given.own_text.cache_file, "mine.bin");
}

}  // namespace
}  // namespace speclab::experiments
