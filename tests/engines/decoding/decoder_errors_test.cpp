// Bad requests are refused with a message, by the plain and the speculative decoder alike, and
// leave both usable.

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::TinyPair;

struct BadRequest {
  const char* name;
  std::vector<Token> prompt;
  const char* mentions;
};

const std::vector<BadRequest> kBadRequests{
    {"Empty", {}, "empty"},
    {"NegativeToken", {1, -1}, "-1"},
    {"TokenBeyondTheVocabulary", {1, 300}, "300"},
    {"TooLong", std::vector<Token>(503, 1), "512"},
};

class DecoderErrors : public ::testing::TestWithParam<BadRequest> {};

INSTANTIATE_TEST_SUITE_P(, DecoderErrors, ::testing::ValuesIn(kBadRequests),
                         [](const auto& named) { return named.param.name; });

void expect_refused(RoundDecoder& decoder, const BadRequest& bad) {
  const Request good{0, {1, 2, 3}};
  for (const auto& requests :
       {std::vector<Request>{{0, bad.prompt}}, std::vector<Request>{good, {1, bad.prompt}}}) {
    try {
      decoder.begin(requests, ConstantPolicy(2));
      ADD_FAILURE() << "it was accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(bad.mentions), std::string::npos) << error.what();
    }
    EXPECT_EQ(decode(decoder, {good}, 2).front().output_ids.size(), 10U);
  }
}

TEST_P(DecoderErrors, SayWhatIsWrong) {
  TinyPair pair(testing::tiny_config());
  expect_refused(*pair.plain({.stop = {.max_new_tokens = 10}}), GetParam());
  expect_refused(
      *pair.speculative({.stop = {.max_new_tokens = 10}, .drafter = {.kind = "small_transformer"}}),
      GetParam());
}

TEST(DecoderLimits, PromptMayReachTheContextExactly) {
  TinyPair pair(testing::tiny_config());
  const auto decoder =
      pair.speculative({.stop = {.max_new_tokens = 10}, .drafter = {.kind = "prompt_lookup"}});
  EXPECT_EQ(decode(*decoder, {{0, std::vector<Token>(502, 1)}}, 4).front().output_ids.size(), 10U);
}

TEST(DecoderLimits, SamplingAndStopOptionsAreChecked) {
  TinyPair pair(testing::tiny_config());
  EXPECT_THROW(pair.plain({.sampling = {.temperature = -1}}), ConfigError);
  EXPECT_THROW(pair.plain({.sampling = {.suppress_tokens = {1, 300}}}), ConfigError);
  EXPECT_THROW(
      pair.speculative({.sampling = {.suppress_tokens = {1, 300}}, .drafter = {.kind = "bigram"}}),
      ConfigError);
  EXPECT_THROW(pair.plain({.stop = {.max_new_tokens = 0}}), ConfigError);
  EXPECT_THROW(pair.speculative({.drafter = {.kind = "small_transformer", .tree = "2x0"}}),
               ConfigError);
}

}  // namespace
}  // namespace speclab::engines
