// The mean of several drafters' laws, of which some have nothing to say at times.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using Tokens = std::vector<Token>;
constexpr int kVocabulary = 12;

/// Says the same everywhere, down to a number of levels, and counts what it is told to read.
class Oracle final : public NextTokens {
 public:
  Oracle(std::vector<float> law, bool is_dense, std::int32_t levels = 100,
         std::optional<double> claimed = {})
      : law_(std::move(law)), is_dense_(is_dense), levels_(levels), claimed_(claimed) {}

  std::size_t vocab_size() const override { return law_.size(); }
  std::int32_t most_levels() const override { return levels_; }
  bool start(const Sequence& sequence, std::int32_t levels) override {
    EXPECT_LE(levels, levels_);
    return sequence.tokens.back() != kSilence;
  }
  std::optional<double> claimed_share(const DraftPlace&) const override { return claimed_; }
  void read(const Sequence&, const TokenTree& tree, TokenTree::Node first) override {
    EXPECT_LT(tree[first].depth, levels_);
  }
  void law(const DraftPlace& place, Law& law) override {
    EXPECT_LT(place.tree[place.node].depth, levels_);
    if (is_dense_) return void(std::ranges::copy(law_, law.assign_dense(law_.size()).begin()));
    law.assign_sparse(law_.size(), most_likely(place, law_.size()));
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace&, std::size_t count) override {
    entries_.clear();
    for (std::size_t i = 0; i < law_.size(); ++i)
      if (law_[i] > 0) entries_.push_back({static_cast<Token>(i), law_[i]});
    std::ranges::sort(entries_, is_likelier<float>);
    return std::span(entries_).first(std::min(count, entries_.size()));
  }
  double likelihood(const DraftPlace&, Token token) override {
    return static_cast<double>(law_[static_cast<std::size_t>(token)]);
  }

  static constexpr Token kSilence = 11;  ///< behind it an oracle says nothing

 private:
  std::vector<float> law_;
  bool is_dense_;
  std::int32_t levels_;
  std::optional<double> claimed_;
  std::vector<LawEntry<float>> entries_;
};

std::vector<float> peaked(Token first, float probability, Token second) {
  std::vector<float> law(kVocabulary, 0.0f);
  law[static_cast<std::size_t>(first)] = probability;
  law[static_cast<std::size_t>(second)] = 1 - probability;
  return law;
}

struct Part {
  std::vector<float> law;
  double weight;
  std::int32_t levels = 100;
  bool is_dense = false;
  std::optional<double> claimed{};
};

Draft draft_of(const std::vector<Part>& parts, double temperature, std::int32_t length,
               const char* tree = "chain", Tokens tokens = {1, 2}, double stop_below = 0) {
  std::vector<MixturePart> mixed;
  for (const Part& part : parts)
    mixed.push_back({std::make_unique<Oracle>(part.law, part.is_dense, part.levels, part.claimed),
                     part.weight});
  const SamplingOptions sampling{.temperature = temperature};
  const auto drafter =
      make_growing_drafter(mixture_next_tokens(std::move(mixed), sampling), "mixture",
                           {.sampling = sampling, .drafter = {.tree = tree}, .seed = 3});
  return testing::propose(*drafter, testing::sequence_of(std::move(tokens)), length, stop_below);
}

TEST(Mixture, LawIsTheMeanByWeightInEveryForm) {
  const std::vector<float> a = peaked(2, 0.75f, 5), b = peaked(5, 0.5f, 7);
  for (const auto& [first, second] :
       {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    const Draft draft = draft_of({{a, 3.0, 100, first}, {b, 1.0, 100, second}}, 1, 1);
    for (Token token = 0; token < kVocabulary; ++token) {
      const auto i = static_cast<std::size_t>(token);
      EXPECT_NEAR(draft.law_at(0)[token], 0.75f * a[i] + 0.25f * b[i], 1e-6f) << token;
    }
    EXPECT_EQ(draft.law_at(0).form() == Law::Form::dense, first || second);
  }
}

TEST(Mixture, AtTemperatureZeroDraftsWhatTheMeanPrefers) {
  const auto first = [](double weight) {
    return testing::drafted_tokens(
        draft_of({{peaked(2, 0.6f, 5), weight}, {peaked(5, 0.9f, 3), 1.0}}, 0, 1));
  };
  EXPECT_EQ(first(1.0), (Tokens{5})) << "0.65 against 0.3";
  EXPECT_EQ(first(4.0), (Tokens{5})) << "0.5 against 0.48";
  EXPECT_EQ(first(6.0), (Tokens{2})) << "the first is too sure to be outweighed";
  EXPECT_EQ(draft_of({{peaked(2, 0.6f, 5), 1.0}, {peaked(5, 0.9f, 3), 1.0}}, 0, 1).law_at(0)[5],
            1.0f);
}

/// Two others share what is left by their weights, 3 to 1.
TEST(Mixture, APartHasTheShareThatItClaims) {
  const Draft draft = draft_of({{peaked(2, 1.0f, 3), 3.0},
                                {peaked(4, 1.0f, 3), 1.0},
                                {peaked(5, 1.0f, 3), 99.0, 100, false, 0.6}},
                               1, 1);
  EXPECT_NEAR(draft.law_at(0)[5], 0.6f, 1e-6f);
  EXPECT_NEAR(draft.law_at(0)[2], 0.3f, 1e-6f);
  EXPECT_NEAR(draft.law_at(0)[4], 0.1f, 1e-6f);
}

/// The mean of 0.6 of the one and 0.4 of the other would prefer the former up to a likelihood
/// of 1.5.
TEST(Mixture, AtTemperatureZeroAClaimHoldsAgainstWhatIsLessLikely) {
  const auto first = [](double claimed, float other) {
    return testing::drafted_tokens(draft_of(
        {{peaked(2, 1.0f, 3), 1.0, 100, false, claimed}, {peaked(4, other, 3), 1.0}}, 0, 1));
  };
  EXPECT_EQ(first(0.6, 0.55f), (Tokens{2}));
  EXPECT_EQ(first(0.6, 0.65f), (Tokens{4}));
  EXPECT_EQ(first(1.0, 1.0f), (Tokens{2})) << "nothing is surer than a claim of all";
  EXPECT_EQ(first(0.6, 1.0f), (Tokens{4}));
}

/// Three parts, the last of which speaks at the first place only: 0.5 of the likeliest token there,
/// 0.6 behind it.
TEST(Mixture, IsAsConfidentAsTheMeanOfItsParts) {
  const std::vector<Part> parts{
      {peaked(2, 0.8f, 5), 1.0}, {peaked(2, 0.4f, 3), 1.0}, {peaked(2, 0.3f, 4), 1.0, 1}};
  const auto length = [&](double stop_below) {
    return draft_of(parts, 0, 6, "chain", {1, 2}, stop_below).tree.drafted();
  };
  EXPECT_EQ(length(0.49), 6);
  EXPECT_EQ(length(0.51), 1);
  EXPECT_EQ(length(0.61), 1);
  EXPECT_EQ(
      draft_of({parts[0], parts[1], {peaked(2, 0.9f, 4), 1.0, 1}}, 0, 6, "chain", {1, 2}, 0.61)
          .tree.drafted(),
      2)
      << "0.7, then 0.6";
}

TEST(Mixture, APartThatHasNoMoreLevelsFallsSilent) {
  const Draft draft = draft_of({{peaked(2, 1.0f, 3), 5.0, 1}, {peaked(4, 1.0f, 3), 1.0, 3}}, 1, 8);
  ASSERT_EQ(draft.tree.drafted(), 3) << "as many as the longer one has";
  EXPECT_NEAR(draft.law_at(0)[2], 5.0 / 6, 1e-6);
  EXPECT_EQ(draft.law_at(1)[4], 1.0f);
  EXPECT_EQ(draft.law_at(2)[4], 1.0f);
}

TEST(Mixture, DraftsNothingWhereNoPartSpeaks) {
  EXPECT_EQ(draft_of({{peaked(2, 1.0f, 3), 1.0}, {peaked(4, 1.0f, 3), 1.0}}, 1, 4, "chain",
                     {1, Oracle::kSilence})
                .tree.drafted(),
            0);
}

TEST(Mixture, ATreeTakesTheLikeliestOfAllParts) {
  const Draft draft =
      draft_of({{peaked(2, 0.9f, 5), 1.0}, {peaked(4, 0.8f, 5), 1.0}}, 1, 1, "best_first:3:3");
  EXPECT_EQ(testing::drafted_tokens(draft), (Tokens{2, 4, 5})) << "0.45, 0.4 and 0.15";
}

/// A copy ends, and with nothing else to say there the draft does too.
TEST(Mixture, OfCopiesEndsWithTheCopy) {
  const SamplingOptions sampling{.temperature = 1};
  std::vector<MixturePart> parts;
  parts.push_back({copy_next_tokens({.kind = "prompt_lookup"}, kVocabulary), 1.0});
  parts.push_back({copy_next_tokens({.kind = "prompt_lookup", .max_ngram = 1}, kVocabulary), 1.0});
  const auto drafter = make_growing_drafter(mixture_next_tokens(std::move(parts), sampling),
                                            "mixture", {.sampling = sampling, .seed = 3});
  Sequence sequence = testing::sequence_of({7, 8, 9, 7, 8});
  drafter->begin({&sequence, 1});
  EXPECT_EQ(testing::drafted_tokens(testing::propose(*drafter, sequence, 9)), (Tokens{9, 7, 8}));
  sequence = testing::sequence_of({7, 8, 9});
  drafter->begin({&sequence, 1});
  EXPECT_EQ(testing::propose(*drafter, sequence, 9).tree.drafted(), 0);
  const auto tree =
      make_growing_drafter(copy_next_tokens({.kind = "prompt_lookup"}, kVocabulary), "copies",
                           {.sampling = sampling, .drafter = {.tree = "best_first:4"}});
  tree->begin({&sequence, 1});
  EXPECT_EQ(testing::propose(*tree, sequence, 9).tree.drafted(), 0);
}

}  // namespace
}  // namespace speclab::engines
