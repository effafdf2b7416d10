#include "experiments/drivers/generate/constraint.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/drivers/generate/call_checks.h"
#include "sim/system/errors.h"
#include "tests/engines/constraints/word_tokenizer.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

ordered_json text_result(const char* text, std::vector<Token> ids, const char* stop_reason) {
  return {{"output_ids", ids}, {"text", text}, {"stop_reason", stop_reason}};
}

class AddConstraint : public ::testing::Test {
 protected:
  ordered_json added(ordered_json result) const {
    add_constraint(read_constraint(options_), words_, result);
    return result;
  }
  ConstraintOptions options_{.regex = "ab?"};
  engines::testing::WordTokenizer words_{{"</s>", "a", "b"}};
};

/// Defect: a text that has met its constraint is called unmet for its end, or one that was cut is
/// called met.
TEST_F(AddConstraint, SaysWhetherATextMatches) {
  const ordered_json ended = added(text_result("a</s>", {1, 0}, "end_of_sequence"));
  EXPECT_EQ(ended["constraint_met"], true);
  EXPECT_EQ(ended["constraint"], ordered_json({{"regex", "ab?"}}));
  EXPECT_EQ(added(text_result("a", {1}, "length"))["constraint_met"], true);
  EXPECT_EQ(added(text_result("", {}, "length"))["constraint_met"], false);
  EXPECT_EQ(added(text_result("prompt a", {1}, "length"))["constraint_met"], true)
      << "a prompt that is shown is none of the text";
  EXPECT_EQ(added(text_result("", {1, 2}, "stop_string"))["constraint_met"], false);
}

TEST_F(AddConstraint, LooksAtEverySequenceAndDecoding) {
  ordered_json search = text_result("a", {1}, "length");
  search["sequences"] = {{{"ids", {1, 2, 0}}, {"text", "ab"}, {"stop_reason", "end_of_sequence"}},
                         {{"ids", {2}}, {"text", "b"}, {"stop_reason", "length"}}};
  const ordered_json found = added(search);
  EXPECT_EQ(found["constraint_met"], true);
  EXPECT_EQ(found["sequences"][1]["constraint_met"], false);
  const ordered_json both = added({{"plain", text_result("a", {1}, "length")},
                                   {"speculative", text_result("b", {2}, "length")}});
  EXPECT_EQ(both["plain"]["constraint_met"], true);
  EXPECT_EQ(both["speculative"]["constraint_met"], false);
}

/// Defect: a text that was cut gets the advice of another cut.
TEST_F(AddConstraint, AdvisesByWhatCutTheText) {
  const std::pair<const char*, const char*> cases[] = {{"length", "give more --max-new-tokens"},
                                                       {"time", "give more --max-time"},
                                                       {"stop_string", "take another --stop"}};
  for (const auto& [reason, advice] : cases) {
    ::testing::internal::CaptureStderr();
    added(text_result("", {}, reason));
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(std::string("(") + reason + ")"), std::string::npos) << said;
    EXPECT_NE(said.find(std::string("; ") + advice + "\n"), std::string::npos) << said;
  }
}

TEST(ReadConstraint, ReadsASchemaFileOrNothing) {
  EXPECT_EQ(read_constraint({}).constraint, nullptr);
  const speclab::testing::TemporaryFolder folder;
  std::ofstream(folder.path("s.json")) << R"({"type":"null"})";
  EXPECT_TRUE(read_constraint({.json_schema = folder.path("s.json")}).constraint->matches("null"));
  EXPECT_THROW(read_constraint({.json_schema = folder.path("none.json")}), ConfigError);
}

TEST(MaskOf, NeedsATokenizer) {
  EXPECT_THROW(mask_of(*engines::regex_constraint("a"), {}, {}), ConfigError);
}

/// Defect: a text that has to end never may.
TEST(CheckCall, RefusesAConstraintWithoutEnds) {
  GenerateOptions options;
  options.constraint.regex = "a";
  EXPECT_NO_THROW(checked_call(options, std::nullopt));
  options.generation.decoder.stop.ignore_eos = true;
  EXPECT_THROW(checked_call(options, std::nullopt), ConfigError);
}

}  // namespace
}  // namespace speclab::experiments
