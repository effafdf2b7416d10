// `speclab verify --against`: the numbers by hand on laws of three tokens, and the texts that they
// are measured on.
#include "experiments/drivers/verify/arithmetic_distance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/support/fake_engines.h"

namespace speclab::experiments {
namespace {

constexpr std::int32_t kVocab = 3;
using Logits = std::array<float, kVocab>;

Logits logits_of(double a, double b, double c) {
  constexpr double kShift = 3.0;  // logits are known up to a constant
  const auto logit = [](double p) { return static_cast<float>(std::log(p) + kShift); };
  return {logit(a), logit(b), logit(c)};
}

const Logits kLaw = logits_of(0.5, 0.25, 0.25), kOtherLaw = logits_of(0.25, 0.5, 0.25);

/// The next law depends on the last token alone: tokens 0 and 2 have kLaw, token 1 another one.
class LastTokenModel final : public engines::LanguageModel {
 public:
  explicit LastTokenModel(const Logits& behind_one) : behind_one_(behind_one) {
    info_.name = "made up";
    info_.dtype = "bfloat16";
    info_.vocab_size = kVocab;
  }
  const engines::ModelInfo& info() const override { return info_; }
  std::unique_ptr<engines::KvCache> make_cache(std::int32_t sequences, std::int32_t size) override {
    return fake_.model->make_cache(sequences, size);
  }
  engines::ForwardResult forward(std::span<const engines::ForwardRow> rows,
                                 engines::KvCache&) override {
    logits_.clear();
    for (const engines::ForwardRow& row : rows) {
      const Logits& law = row.token == 1 ? behind_one_ : kLaw;
      if (row.wants_logits) logits_.insert(logits_.end(), law.begin(), law.end());
    }
    return {logits_, kVocab};
  }

 private:
  engines::ModelInfo info_;
  Logits behind_one_;
  std::vector<float> logits_;
  engines::LoadedModel fake_ =
      speclab::testing::FakeEngines(std::make_shared<speclab::testing::FakeEnginesState>())
          .load_model({.model = "fake"});
};

/// Two texts of two tokens, everywhere kLaw. The other model agrees on the first text alone.
OwnTexts own_texts(std::size_t prompt_of_second) {
  std::vector<float> logits(kLaw.begin(), kLaw.end());
  logits.insert(logits.end(), kLaw.begin(), kLaw.end());
  return {{{{0, 2, 0}, 1}, {{1, 1, 0}, 1}}, {0, prompt_of_second}, {logits, logits}};
}

ArithmeticDistance distance_of(const OwnTexts& own) {
  LastTokenModel other(kOtherLaw);
  return distance_to(other, "float32", own);
}

/// Defect: no factor 1/2, logits taken for probabilities, the law behind a token in place of the
/// one before it, or an error over tokens (it would be 0.072).
TEST(ArithmeticDistance, IsTheMeanTotalVariationWithItsErrorOverPrompts) {
  const ArithmeticDistance distance = distance_of(own_texts(1));
  const std::vector<double> expected{0.0, 0.0, 0.25, 0.25};
  ASSERT_EQ(distance.total_variations.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(distance.total_variations[i], expected[i], 1e-7) << i;  // logits are floats
  EXPECT_NEAR(distance.mean(), 0.125, 1e-7);
  EXPECT_NEAR(distance.standard_error.value(), 0.125, 1e-7);
  EXPECT_NEAR(distance.largest(), 0.25, 1e-7);
  EXPECT_EQ(distance.arg_max_agreement(), 0.5);
  EXPECT_EQ(distance.prompts, 2U);
}

/// Defect: with one prompt there is no error, or one that pretends to be over prompts.
TEST(ArithmeticDistance, HasAnErrorOverTextsIfThereIsOnePrompt) {
  OwnTexts own = own_texts(0);
  const ArithmeticDistance two = distance_of(own);
  EXPECT_NEAR(two.standard_error.value(), 0.125, 1e-7);
  EXPECT_NE(distance_text(two).find("over 2 texts of one prompt"), std::string::npos);
  own.texts.pop_back(), own.prompt_of.pop_back(), own.logits.pop_back();
  const ArithmeticDistance one = distance_of(own);
  EXPECT_FALSE(one.standard_error);
  EXPECT_NE(distance_text(one).find("no standard error"), std::string::npos);
}

/// Defect: a percentile of a handful of positions, or a reader who takes the distance for that of
/// speculation.
TEST(ArithmeticDistance, SaysWhatItIsAndLacks) {
  const std::string text = distance_text(distance_of(own_texts(1)));
  for (const char* part :
       {"float32 and bfloat16 are 0.125 apart", "standard error 0.13 over 2 prompts",
        "n = 4 positions", "needs 662 positions", "largest 0.25", "agrees at 50.00 %",
        "price of the number format, not of speculation."})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  OwnTexts many;
  for (int i = 0; i < 331; ++i) {
    const OwnTexts own = own_texts(0);
    many.texts.push_back(own.texts[0]);
    many.prompt_of.push_back(0);
    many.logits.push_back(own.logits[0]);
  }
  EXPECT_TRUE(distance_of(many).percentile_99());
}

/// Defect: a distance of NaN from a model whose arithmetic overflowed.
TEST(ArithmeticDistance, RefusesLogitsThatAreNotFinite) {
  LastTokenModel broken({std::numeric_limits<float>::quiet_NaN(), 0, 0});
  EXPECT_THROW(distance_to(broken, "float32", own_texts(1)), NotFiniteError);
}

class OwnTextsTest : public ::testing::Test {
 protected:
  OwnTexts write(const std::vector<engines::Request>& requests, std::int32_t positions) {
    loaded_ = engines_.load_model({.model = "fake"});
    return write_own_texts(engines_, loaded_, requests, {.positions = positions, .seed = 7});
  }
  static std::vector<std::size_t> output_lengths(const OwnTexts& own) {
    std::vector<std::size_t> lengths;
    for (const Text& text : own.texts) lengths.push_back(text.ids.size() - text.prompt_length);
    return lengths;
  }

  std::shared_ptr<speclab::testing::FakeEnginesState> state_ =
      std::make_shared<speclab::testing::FakeEnginesState>();
  speclab::testing::FakeEngines engines_{state_};
  engines::LoadedModel loaded_;
};

/// Defect: fewer positions than asked for, or more of them behind some prompts.
TEST_F(OwnTextsTest, ShareThePositionsEvenly) {
  const OwnTexts own = write({{0, {1}}, {0, {2, 3}}}, 5);
  EXPECT_EQ(output_lengths(own), (std::vector<std::size_t>{3, 3}));
  EXPECT_EQ(own.prompt_of, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(own.logits[1].size(), 3U * 256);
  EXPECT_EQ(own.texts[1].prompt_length, 2U);
}

/// Defect: one prompt's texts are all the same, one is longer than the context, or the positions
/// end with the first text.
TEST_F(OwnTextsTest, GoOnWithOtherTextsOfThePrompt) {
  std::multiset<std::uint32_t> sequences;
  state_->on_sequence = [&](std::uint32_t sequence) { sequences.insert(sequence); };
  EXPECT_EQ(output_lengths(write({{0, {1, 2, 3}}}, 600)), (std::vector<std::size_t>{256, 256, 88}));
  EXPECT_EQ(sequences, (std::multiset<std::uint32_t>{0, 1, 2}));
  state_->context_length = 13;
  EXPECT_EQ(output_lengths(write({{0, {1, 2, 3}}}, 25)), (std::vector<std::size_t>{10, 10, 5}));
}

/// Defect: the texts are drawn at another temperature, from a draft or without the seed. The fake
/// engines' text depends on all of these.
TEST_F(OwnTextsTest, ArePlainSamplesAtTemperatureOne) {
  const OwnTexts own = write({{0, {1}}}, 20);
  const auto decoder = engines_.make_decoder(*loaded_.model, loaded_.tokenizer,
                                             {.sampling = {.temperature = 1.0},
                                              .stop = {.max_new_tokens = 20},
                                              .drafter = {.kind = "plain"},
                                              .seed = 7});
  decoder->begin({{0, {1}}}, ConstantPolicy(0));
  while (decoder->round()) {
  }
  EXPECT_EQ(std::vector<Token>(own.texts[0].ids.begin() + 1, own.texts[0].ids.end()),
            decoder->records().front().output_ids);
}

}  // namespace
}  // namespace speclab::experiments
