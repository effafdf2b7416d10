// Drafts behind a mask: allowed tokens alone, and forced ones without asking the model.

#include <gtest/gtest.h>

#include "engines/decoding/host_round_decoder.h"
#include "engines/drafters/next_token_sources.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/engines/constraints/masked_world.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/exactness/world_model.h"

namespace speclab::engines {
namespace {

using testing::drafted_tokens;
using testing::MaskedWords;
using testing::Tokens;

const std::vector<std::string> kThreeLetters{"</s>", "a", "b", "c"};

/// Bigrams of a text that goes b c b c.
class Bigrams final : public DrafterModels {
 public:
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    throw ContractError("no drafter here reads it");
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override {
    throw ContractError("no drafter here reads it");
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
    return testing::ngrams_of({{2, 3, 2, 3, 2, 3, 1, 2}}, 4, {.order = 2, .max_successors = 3});
  }
};

ModelInfo target_info() {
  ModelInfo info;
  info.name = "a test";
  info.vocab_size = 4;
  return info;
}

DecoderOptions options_with(const MaskedWords& words, const char* drafter,
                            double temperature = 1.0) {
  DecoderOptions options;
  options.drafter.kind = drafter;
  options.sampling.temperature = temperature;
  options.sampling.rules.mask = words.mask();
  return options;
}

/// Tokens that a drafter proposes behind a prompt.
Tokens proposed(const DecoderOptions& options, const Tokens& prompt, std::uint32_t round = 0) {
  Bigrams models;
  const auto drafter = make_drafter(options, target_info(), models);
  Sequence sequence = testing::sequence_of(prompt, round);
  drafter->begin({&sequence, 1});
  return drafted_tokens(testing::propose(*drafter, sequence, 4));
}

/// Defect: a mask on p only. The law would still hold, because what the target cannot say is
/// rejected; but a draft would be wasted on it.
TEST(ConstrainedDrafts, LieWithinTheMask) {
  const MaskedWords words(kThreeLetters, "b[ab]*");
  for (const char* drafter : {"bigram", "prompt_lookup"})
    for (const double temperature : {0.0, 1.0})
      for (std::uint32_t round = 0; round < 20; ++round)
        for (const Token token : proposed(options_with(words, drafter, temperature),
                                          {2, 3, 2, 3, 1, 2, 3, 2, 3}, round))
          EXPECT_NE(token, 3) << drafter << " at temperature " << temperature;
}

/// Defect: forced tokens are not drafted, or beyond the choice that ends them, or behind an end.
TEST(ConstrainedDrafts, TakeForcedTokensWithoutADrafter) {
  EXPECT_EQ(proposed(options_with({kThreeLetters, "abc[ab]"}, "none"), {1}), (Tokens{1, 2, 3}));
  EXPECT_EQ(proposed(options_with({kThreeLetters, "ab"}, "none"), {1}), (Tokens{1, 2, 0}));
  EXPECT_EQ(proposed(options_with({kThreeLetters, "[ab]c"}, "none"), {1}), Tokens{});
}

/// Says that one token is the likeliest everywhere, and counts the questions.
class Watched final : public NextTokens {
 public:
  std::size_t vocab_size() const override { return 4; }
  bool start(const Sequence&, std::int32_t) override { return ++starts, true; }
  void read(const Sequence&, const TokenTree& tree, TokenTree::Node first) override {
    read_up_to = tree.size();
    first_read = first;
  }
  void law(const DraftPlace& place, Law& law) override {
    asked.push_back(place.tree[place.node].depth);
    law = Law::dense({0.125f, 0.125f, 0.25f, 0.5f});
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace&, std::size_t) override {
    return entries;
  }
  double likelihood(const DraftPlace&, Token) override { return 0.5; }

  int starts = 0;
  TokenTree::Node first_read = 0, read_up_to = 0;
  std::vector<std::int32_t> asked;
  std::vector<LawEntry<float>> entries{{3, 0.5f}, {2, 0.25f}};
};

/// Defect: the model is asked where one token is forced, or misses forced tokens that stand before
/// the place that it is asked about.
TEST(ConstrainedDrafts, AskTheModelWhereThereIsAChoice) {
  auto owned = std::make_unique<Watched>();
  Watched& model = *owned;
  const MaskedWords words(kThreeLetters, "ab[ab]c");
  DecoderOptions options = options_with(words, "ngram");
  const auto drafter = make_growing_drafter(
      constrained_next_tokens(std::move(owned), words.mask(), DraftForm::drawn), "ngram", options);
  const Sequence sequence = testing::sequence_of({1});
  const Tokens two = drafted_tokens(testing::propose(*drafter, sequence, 2));
  EXPECT_EQ(two, (Tokens{1, 2}));
  EXPECT_EQ(model.starts, 0);
  const Draft draft = testing::propose(*drafter, sequence, 4);
  EXPECT_EQ(draft.tree.drafted(), 4);
  EXPECT_EQ(model.starts, 1);
  EXPECT_EQ(model.asked, std::vector<std::int32_t>{2});
  EXPECT_EQ(model.first_read, 2);
  EXPECT_EQ(model.read_up_to, 3);
  const Law& law = draft.law_at(2);
  EXPECT_FLOAT_EQ(law[1], 1.0f / 3);
  EXPECT_FLOAT_EQ(law[2], 2.0f / 3);
  EXPECT_EQ(law[3], 0.0f);
}

/// Defect: a drafted end or a forced token is not accepted, or costs a round.
TEST(ConstrainedDrafts, NeedFewerRounds) {
  const auto model = testing::make_world_model(speclab::testing::SmallWorld({.vocab_size = 4}),
                                               testing::Side::target);
  const MaskedWords words(kThreeLetters, "abcabc");
  DecoderOptions options = options_with(words, "none");
  options.stop.max_new_tokens = 12;
  options.sampling.rules.set_lengths(1, 12);
  Bigrams models;
  HostRoundDecoder decoder(*model, words.tokenizer(), options,
                           make_drafter(options, model->info(), models), make_verifier(options));
  decoder.begin({{0, {1}}}, ConstantPolicy(3));
  while (decoder.round()) {
  }
  const GenerationRecord& record = decoder.records().front();
  EXPECT_EQ(record.output_ids, (Tokens{1, 2, 3, 1, 2, 3, 0}));
  EXPECT_EQ(record.rounds.size(), 2u);
  EXPECT_EQ(record.rounds[0].drafted, 3);
  EXPECT_EQ(record.rounds[0].accepted, 3);
}

/// Defect: a draft that the target would have refused ends the text with an error.
TEST(AllowedInDraft, IsNothingWhereTheVocabularyCannotSpellTheRest) {
  const auto mask = MaskedWords({"</s>", "a", "b"}, "ac|b").mask();
  EXPECT_THROW(mask->allowed(Tokens{1}), ConfigError);
  EXPECT_EQ(allowed_in_draft(*mask, Tokens{1}), nullptr);
  EXPECT_EQ(allowed_in_draft(*mask, {}), &mask->allowed({}));
}

}  // namespace
}  // namespace speclab::engines
