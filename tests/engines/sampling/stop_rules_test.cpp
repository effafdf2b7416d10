#include "engines/sampling/stop_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::LetterTokenizer;
using testing::TinyPair;

constexpr std::int32_t kNewTokens = 40;

/// The target drafts for itself, so at temperature 0 whole blocks are accepted and every stop falls
/// inside one.
class StopInsideABlock : public ::testing::Test {
 protected:
  static TinyPair& pair() {
    static TinyPair tiny(testing::tiny_config(), 0.0f);
    return tiny;
  }
  static DecoderOptions options(std::vector<std::string> stop_strings = {},
                                std::int32_t max_new_tokens = kNewTokens) {
    return {.sampling = {.temperature = 0, .repetition_penalty = 1.4},
            .stop = {.max_new_tokens = max_new_tokens, .stop_strings = std::move(stop_strings)},
            .drafter = {.kind = "small_transformer"}};
  }
  /// All tokens, without any stop. The penalty keeps the text from going in circles.
  static const std::vector<Token>& text() {
    static const std::vector<Token> tokens =
        decode(*pair().plain(options()), kRequest, 0).front().output_ids;
    return tokens;
  }
  /// Speculative and plain end alike, after `kept` tokens, for `reason`.
  static void expect_end(const DecoderOptions& options, std::shared_ptr<const Tokenizer> tokenizer,
                         std::size_t kept, StopReason reason) {
    for (const int length : {1, 4, 9}) {
      const GenerationRecord record =
          decode(*pair().speculative(options, tokenizer), kRequest, length).front();
      EXPECT_EQ(
          record.output_ids,
          std::vector<Token>(text().begin(), text().begin() + static_cast<std::ptrdiff_t>(kept)));
      EXPECT_EQ(record.stop_reason, reason);
      EXPECT_EQ(record.fates.size(), kept);
      std::int32_t emitted = 0;
      for (const RoundRecord& round : record.rounds) emitted += round.emitted;
      EXPECT_EQ(emitted, static_cast<std::int32_t>(kept));
    }
    const GenerationRecord plain = decode(*pair().plain(options, tokenizer), kRequest, 0).front();
    EXPECT_EQ(plain.output_ids.size(), kept);
    EXPECT_EQ(plain.stop_reason, reason);
  }

  static const inline std::vector<Request> kRequest{{0, {3, 1, 4}}};
};

TEST_F(StopInsideABlock, AtEveryLength) {
  for (std::int32_t length = 1; length <= 12; ++length)
    expect_end(options({}, length), nullptr, static_cast<std::size_t>(length), StopReason::length);
}

TEST_F(StopInsideABlock, AtTheEndOfSequence) {
  for (const std::size_t place : {0U, 1U, 6U, 13U, 17U}) {
    const Token end = text()[place];
    const auto first =
        static_cast<std::size_t>(std::find(text().begin(), text().end(), end) - text().begin());
    expect_end(options(), std::make_shared<LetterTokenizer>(300, end), first + 1,
               StopReason::end_of_sequence);
  }
}

TEST_F(StopInsideABlock, NotWhereTheEndIsIgnored) {
  DecoderOptions ignoring = options();
  ignoring.stop.ignore_eos = true;
  expect_end(ignoring, std::make_shared<LetterTokenizer>(300, text()[5]), kNewTokens,
             StopReason::length);
}

TEST_F(StopInsideABlock, AtAStopStringOverSeveralTokens) {
  const std::string letters = LetterTokenizer(300).decode(text());
  for (const std::size_t place : {0U, 2U, 7U, 15U, 30U}) {
    const std::string stop = letters.substr(place, 4);
    expect_end(options({"never there", stop}), std::make_shared<LetterTokenizer>(300),
               letters.find(stop) + 4, StopReason::stop_string);
  }
}

StopReason reason_after(StopRules& rules, const std::string& letters) {
  StopReason reason = StopReason::length;
  for (const char c : letters)
    if (rules.ends_with(c - 'a', reason)) return reason;
  return StopReason::length;
}

TEST(StopRules, FindAStringThatBeginsInAFailedMatch) {
  StopRules rules({.max_new_tokens = 100, .stop_strings = {"aab"}},
                  std::make_shared<LetterTokenizer>(26));
  rules.begin();
  EXPECT_EQ(reason_after(rules, "aaab"), StopReason::stop_string);
}

TEST(StopRules, ForgetTheTextOfAnEarlierSequence) {
  StopRules rules({.max_new_tokens = 100, .stop_strings = {"xyz"}},
                  std::make_shared<LetterTokenizer>(26));
  rules.begin();
  EXPECT_EQ(reason_after(rules, "axy"), StopReason::length);
  rules.begin();
  EXPECT_EQ(reason_after(rules, "z"), StopReason::length);
}

TEST(StopRules, RefuseImpossibleOptions) {
  const auto tokenizer = std::make_shared<LetterTokenizer>(26);
  EXPECT_THROW(StopRules({.max_new_tokens = 0}, tokenizer), ConfigError);
  EXPECT_THROW(StopRules({.max_new_tokens = -5}, tokenizer), ConfigError);
  EXPECT_THROW(StopRules({.stop_strings = {"ok", ""}}, tokenizer), ConfigError);
  EXPECT_THROW(StopRules({.stop_strings = {"ok"}}, nullptr), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
