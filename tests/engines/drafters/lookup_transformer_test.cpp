// Prompt lookup mixed with a transformer: the copy where there is one, the model elsewhere.

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using Tokens = std::vector<Token>;

DecoderOptions mixture_options_of(double temperature, std::optional<double> weight,
                                  const char* tree = "chain") {
  return {.sampling = {.temperature = temperature},
          .drafter = {.kind = "lookup_transformer",
                      .tree = tree,
                      .min_ngram = 1,
                      .lookup_weight = weight},
          .seed = 4};
}

Draft begun_draft(Drafter& drafter, Tokens tokens, std::int32_t max_length) {
  const Sequence sequence = testing::sequence_of(std::move(tokens));
  drafter.begin({&sequence, 1});
  return testing::propose(drafter, sequence, max_length);
}

Draft mixed_draft(const DecoderOptions& options, Tokens tokens, std::int32_t max_length) {
  return begun_draft(*testing::make_lookup_transformer_drafter(
                         testing::tiny_model(testing::tiny_config()), options),
                     std::move(tokens), max_length);
}

Draft model_draft(const DecoderOptions& options, Tokens tokens, std::int32_t max_length) {
  return begun_draft(
      *make_small_transformer_drafter(testing::tiny_model(testing::tiny_config()), options),
      std::move(tokens), max_length);
}

TEST(LookupTransformer, CopiesAtTemperatureZeroAndGoesOnWithTheModel) {
  const Tokens text{9, 8, 7, 9, 8};
  const Tokens drafted = testing::drafted_tokens(mixed_draft(mixture_options_of(0, 0.5), text, 5));
  ASSERT_EQ(drafted.size(), 5u);
  EXPECT_EQ(Tokens(drafted.begin(), drafted.begin() + 3), (Tokens{7, 9, 8}));
  Tokens behind = text;
  behind.insert(behind.end(), drafted.begin(), drafted.begin() + 3);
  EXPECT_EQ(Tokens(drafted.begin() + 3, drafted.end()),
            testing::drafted_tokens(model_draft(mixture_options_of(0, 0.5), behind, 2)));
}

/// A copy of next to no weight loses to what the model likes best; one of more than the model gives
/// any token wins.
TEST(LookupTransformer, AtTemperatureZeroDraftsTheModelsTokenWhereTheCopyWeighsLess) {
  const Tokens text{9, 8, 7, 9, 8},
      models = testing::drafted_tokens(model_draft(mixture_options_of(0, 0.5), text, 1));
  ASSERT_NE(models, Tokens{7});
  EXPECT_EQ(testing::drafted_tokens(mixed_draft(mixture_options_of(0, 1e-6), text, 1)), models);
  EXPECT_EQ(testing::drafted_tokens(mixed_draft(mixture_options_of(0, 0.3), text, 1)), Tokens{7});
}

TEST(LookupTransformer, IsTheModelWhereThereIsNothingToCopy) {
  const Draft alone = model_draft(mixture_options_of(1, 0.7), {6, 1}, 3),
              mixed = mixed_draft(mixture_options_of(1, 0.7), {6, 1}, 3);
  EXPECT_EQ(testing::drafted_tokens(mixed), testing::drafted_tokens(alone));
  for (Token token = 0; token < 300; ++token)
    EXPECT_EQ(mixed.law_at(0)[token], alone.law_at(0)[token]) << token;
}

TEST(LookupTransformer, LawIsTheMixtureWhereThereIsACopy) {
  const double weight = 0.7;
  const Draft mixed = mixed_draft(mixture_options_of(1, weight), {3, 1, 3}, 1),
              alone = model_draft(mixture_options_of(1, weight), {3, 1, 3}, 1);
  double sum = 0;
  for (Token token = 0; token < 300; ++token) {
    const double copied = token == 1 ? weight : 0.0;
    EXPECT_NEAR(static_cast<double>(mixed.law_at(0)[token]),
                (1 - weight) * static_cast<double>(alone.law_at(0)[token]) + copied, 1e-6)
        << token;
    sum += static_cast<double>(mixed.law_at(0)[token]);
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

/// 0.16 behind one token, and 0.45 behind two, where the first copy came.
TEST(LookupTransformer, WithoutAWeightTheCopyHasTheShareThatItsRecordExpects) {
  const DecoderOptions options = mixture_options_of(1, std::nullopt);
  const Draft alone = model_draft(options, {3, 1, 6, 3}, 1);
  Draft mixed = mixed_draft(options, {3, 1, 6, 3}, 2);
  EXPECT_NEAR(static_cast<double>(mixed.law_at(0)[1]),
              0.16 + 0.84 * static_cast<double>(alone.law_at(0)[1]), 1e-6);
  for (DecoderOptions next = options; testing::drafted_tokens(mixed)[0] != 1;
       mixed = mixed_draft(next, {3, 1, 6, 3}, 2))
    ++next.seed;
  const Draft behind = model_draft(options, {3, 1, 6, 3, 1}, 1);
  EXPECT_NEAR(static_cast<double>(mixed.law_at(1)[6]),
              0.45 + 0.55 * static_cast<double>(behind.law_at(0)[6]), 1e-5);
}

/// The likeliest tokens of a tree: the copied one first, with the weight it has in the mixture.
TEST(LookupTransformer, PutsTheCopyFirstInATreeOfLikelyTokens) {
  const Tokens drafted = testing::drafted_tokens(
      mixed_draft(mixture_options_of(1, 0.9, "best_first:4:3"), {3, 1, 6, 3}, 2));
  ASSERT_EQ(drafted.size(), 4u);
  EXPECT_EQ(drafted[0], 1);
  EXPECT_EQ(drafted[1], 6) << "behind the copy the copy goes on";
}

TEST(LookupTransformer, DraftsTheCopyAloneWhereTheWeightIsOne) {
  const Draft draft = mixed_draft(mixture_options_of(1, 1.0), {3, 1, 6, 3}, 2);
  EXPECT_EQ(testing::drafted_tokens(draft), (Tokens{1, 6}));
  EXPECT_EQ(draft.law_at(0)[1], 1.0f);
  const Tokens tree = testing::drafted_tokens(
      mixed_draft(mixture_options_of(1, 1.0, "best_first:6:3"), {3, 1, 6, 3}, 2));
  EXPECT_EQ(tree, (Tokens{1, 6})) << "no row for what has no probability";
}

TEST(LookupTransformer, MixesWithALawThatACutoffMadeSparse) {
  DecoderOptions options = mixture_options_of(0.7, 0.6);
  options.sampling.top_k = 2;
  const Draft mixed = mixed_draft(options, {3, 1, 3}, 1),
              alone = model_draft(options, {3, 1, 3}, 1);
  for (Token token = 0; token < 300; ++token)
    EXPECT_NEAR(static_cast<double>(mixed.law_at(0)[token]),
                0.4 * static_cast<double>(alone.law_at(0)[token]) + (token == 1 ? 0.6 : 0.0), 1e-6)
        << token;
}

TEST(LookupTransformer, RefusesAWeightOutsideItsRange) {
  for (const double weight : {0.0, -0.5, 1.5})
    EXPECT_THROW(mixed_draft(mixture_options_of(1, weight), {1}, 1), ConfigError) << weight;
}

}  // namespace
}  // namespace speclab::engines
