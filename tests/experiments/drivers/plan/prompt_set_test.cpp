#include "experiments/drivers/plan/prompt_set.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/core/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

TEST(PromptSet, TheProjectsSetsHaveSevenCategoriesAndNoSharedIds) {
  const auto core = read_prompts({.set = "core", .categories = {}, .per_category = 8});
  const auto pilot = read_prompts({.set = "pilot", .categories = {}, .per_category = 2});
  EXPECT_EQ(core.size(), 56u);
  EXPECT_EQ(pilot.size(), 14u);
  std::set<std::string> ids, categories;
  for (const auto* set : {&core, &pilot})
    for (const Prompt& prompt : *set) {
      EXPECT_TRUE(ids.insert(prompt.id).second) << prompt.id;
      categories.insert(prompt.category);
    }
  EXPECT_EQ(categories.size(), 7u);
}

TEST(PromptSet, TakesTheFirstOfEachCategory) {
  const auto one = read_prompts({.set = "core", .categories = {"extraction", "chat"}, .per_category = 1});
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].id, "chat_01");
  EXPECT_EQ(one[1].category, "extraction");
}

TEST(PromptSet, SaysWhatIsMissing) {
  EXPECT_THROW(read_prompts({.set = "cores"}), ConfigError);
  EXPECT_THROW(read_prompts({.set = "core", .categories = {"poems"}}), ConfigError);
  EXPECT_THROW(read_prompts({.set = "core", .categories = {"chat"}, .per_category = 9}), ConfigError);
  const testing::TemporaryFolder folder;
  folder.file("a.toml", "category = \"a\"\n[[prompt]]\nid = \"x\"\ntext = \"\"\n");
  EXPECT_THROW(read_prompts({.set = folder.path() + "/"}), ConfigError);
  folder.file("a.toml", "category = \"a\"\n[[prompt]]\nid = \"x\"\ntext = \"t\"\n[[prompt]]\nid = \"x\"\ntext = \"u\"\n");
  EXPECT_THROW(read_prompts({.set = folder.path() + "/", .per_category = 2}), ConfigError);
}

TEST(PromptSet, TheDigestSeesEveryField) {
  const std::vector<Prompt> prompts{{"a", "b", "c"}};
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"a", "b", "d"}}));
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"a", "x", "c"}}));
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"y", "b", "c"}}));
}

}  // namespace
}  // namespace speclab::experiments
