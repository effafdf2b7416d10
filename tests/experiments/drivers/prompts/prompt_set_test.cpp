#include "experiments/drivers/prompts/prompt_set.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

TEST(PromptSet, TheProjectsSetsHaveSevenCategoriesAndNoSharedIds) {
  const auto core = read_prompts({.set = "core", .categories = {}, .per_category = 8});
  const auto pilot = read_prompts({.set = "pilot", .categories = {}, .per_category = 4});
  EXPECT_EQ(core.size(), 56u);
  EXPECT_EQ(pilot.size(), 28u);
  std::set<std::string> ids, categories;
  for (const auto* set : {&core, &pilot})
    for (const Prompt& prompt : *set) {
      EXPECT_TRUE(ids.insert(prompt.id).second) << prompt.id;
      categories.insert(prompt.category);
    }
  EXPECT_EQ(categories.size(), 7u);
}

TEST(PromptSet, TakesTheFirstOfEachCategory) {
  const auto one =
      read_prompts({.set = "core", .categories = {"extraction", "chat"}, .per_category = 1});
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].id, "chat_01");
  EXPECT_EQ(one[1].category, "extraction");
}

TEST(PromptSet, SaysWhatIsMissing) {
  EXPECT_THROW(read_prompts({.set = "cores"}), ConfigError);
  EXPECT_THROW(read_prompts({.set = "core", .categories = {"poems"}}), ConfigError);
  EXPECT_THROW(read_prompts({.set = "core", .categories = {"chat"}, .per_category = 9}),
               ConfigError);
  const testing::TemporaryFolder folder;
  folder.file("a.toml", "category = \"a\"\n[[prompt]]\nid = \"x\"\ntext = \"\"\n");
  EXPECT_THROW(read_prompts({.set = folder.path() + "/"}), ConfigError);
  folder.file("a.toml",
              "category = \"a\"\n[[prompt]]\nid = \"x\"\ntext = \"t\"\n[[prompt]]\nid = "
              "\"x\"\ntext = \"u\"\n");
  EXPECT_THROW(read_prompts({.set = folder.path() + "/", .per_category = 2}), ConfigError);
}

std::string refusal(const PromptSelection& selection) {
  try {
    read_prompts(selection);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PromptSet, AFileIsNamedAsItsCategory) {
  const testing::TemporaryFolder folder;
  folder.file("a.toml", "category = \"b\"\n[[prompt]]\nid = \"x\"\ntext = \"t\"\n");
  EXPECT_NE(refusal({.set = folder.path()}).find("a.toml:1:12: category = \"b\"; allowed: \"a\""),
            std::string::npos)
      << refusal({.set = folder.path()});
  folder.file("a.toml", "[[prompt]]\nid = \"x\"\ntext = \"t\"\n");
  EXPECT_NE(refusal({.set = folder.path()}).find("category is missing"), std::string::npos)
      << refusal({.set = folder.path()});
}

TEST(PromptSet, BlamesTheKeyThatIsWrong) {
  EXPECT_NE(refusal({.set = "cores", .table = "prompts"}).find("prompts.set: "), std::string::npos);
  EXPECT_NE(refusal({.set = "pilots", .table = "pilot"}).find("pilot.set: "), std::string::npos);
  EXPECT_NE(refusal({.set = "core", .categories = {"poems"}, .table = "prompts"})
                .find("prompts.categories: "),
            std::string::npos);
  EXPECT_NE(
      refusal({.set = "pilot", .categories = {"poems"}, .table = "pilot"}).find("pilot.set: "),
      std::string::npos);
  EXPECT_NE(
      refusal({.set = "pilot", .per_category = 99, .table = "pilot"}).find("pilot.per_category"),
      std::string::npos);
}

TEST(PromptSet, PilotsAreNeverMeasured) {
  EXPECT_THROW(check_no_shared_ids({{"a", "c", "t"}, {"b", "c", "u"}}, {{"b", "c", "v"}}),
               ConfigError);
  EXPECT_NO_THROW(check_no_shared_ids({{"a", "c", "t"}}, {{"b", "c", "t"}}));
}

TEST(PromptSet, HasOneSpelling) {
  EXPECT_EQ(prompt_set_path(SPECLAB_SOURCE_DIR "/experiments/prompts/../prompts/core/"),
            prompt_set_path("core"));
  EXPECT_NE(prompt_set_path("pilot"), prompt_set_path("core"));
}

TEST(PromptSet, TheDigestSeesEveryField) {
  const std::vector<Prompt> prompts{{"a", "b", "c"}};
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"a", "b", "d"}}));
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"a", "x", "c"}}));
  EXPECT_NE(prompts_digest(prompts), prompts_digest({{"y", "b", "c"}}));
}

}  // namespace
}  // namespace speclab::experiments
