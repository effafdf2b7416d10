#include "experiments/drivers/toml/config_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// All that is found, or nothing.
std::string found_in(const ConfigNode& root, const std::function<void(ConfigReader&)>& read) {
  Findings findings;
  ConfigReader reader(root, "", &findings);
  read(reader);
  try {
    findings.throw_if_any();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of(ConfigNode& root, const std::string& assignment) {
  try {
    set_config_value(root, assignment);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(SetConfigValue, SetsNestedKeysAndBareWords) {
  ConfigNode root = parse_config("[axes]\npolicy = \"auto\"\n", "f.toml");
  set_config_value(root, "axes.policy=constant:4");
  set_config_value(root, "axes.temperature=[0.0, 1.0]");
  ConfigReader reader(root);
  ConfigReader axes(*reader.table("axes"), "axes");
  std::string policy;
  std::vector<double> temperature;
  axes.read("policy", policy);
  axes.read("temperature", temperature);
  EXPECT_EQ(policy, "constant:4");
  EXPECT_EQ(temperature.size(), 2u);
}

TEST(SetConfigValue, RefusesWhatIsNoAssignment) {
  ConfigNode root = parse_config("[axes]\npolicy = \"auto\"\n", "f.toml");
  for (const char* assignment :
       {"axes", "=1", "axes.=1", "axes=1", "axes.policy.deep=1", R"(include=["x.toml"])"})
    EXPECT_NE(refusal_of(root, assignment).find("--set"), std::string::npos) << assignment;
}

TEST(OpeningComment, JoinsTheFirstLines) {
  EXPECT_EQ(opening_comment("# One\n#  two?\n[a]\n# no\n"), "One two?");
  EXPECT_EQ(opening_comment("[a]\n# no\n"), "");
}

/// Defect: keys within a value are blamed at a line and column of a text that nobody wrote.
TEST(SetConfigValue, BlamesTheOptionForAllThatItsValueHolds) {
  ConfigNode root = parse_config("", "f.toml");
  set_config_value(root, "drafters.mine={kind=\"ngram\", depth=3}");
  const ConfigNode& mine = std::get<ConfigNode::TableEntries>(root.value).front().node;
  EXPECT_EQ(found_in(std::get<ConfigNode::TableEntries>(mine.value).front().node,
                     [](ConfigReader& reader) {
                       reader.find("kind");
                       reader.finish();
                     }),
            "--set drafters.mine: unknown key depth = 3; allowed: kind");
}

/// Defect: a number that does not fit becomes a word.
TEST(SetConfigValue, RefusesNumbersThatDoNotFit) {
  ConfigNode root = parse_config("", "f.toml");
  EXPECT_EQ(
      refusal_of(root, "experiment.seed=99999999999999999999").find("--set experiment.seed: "), 0u);
}

}  // namespace
}  // namespace speclab::experiments
