// The law a drafter reports is the law it draws from. Tokens fall into eight classes by their last
// three bits; per node and class, drawn minus reported probability, summed over rounds, is a
// martingale of known variance and so nearly normal. |z| < 5.5 in each of at most 10 * 8
// comparisons a case: a true drafter fails with probability below 4e-6, while one whose laws are
// off by 0.05 in any class is found with probability above 0.98 (6,000 rounds: z of 7.7 at least).

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

constexpr std::uint32_t kRounds = 6000;
constexpr double kLimit = 5.5;
constexpr std::size_t kClasses = 8;

/// Reported probability of each class for `child`, siblings drawn before it taken out.
std::array<double, kClasses> class_probabilities(const Draft& draft, TokenTree::Node child) {
  const TokenTree::Node parent = draft.tree[child].parent;
  const Law& law = draft.law_at(parent);
  std::array<double, kClasses> classes{};
  double total = 0;
  for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token) {
    bool drawn_before = false;
    for (TokenTree::Node sibling = 1; sibling < child; ++sibling)
      drawn_before |= draft.tree[sibling].parent == parent && draft.tree[sibling].token == token;
    if (drawn_before) continue;
    classes[static_cast<std::size_t>(token) % kClasses] += static_cast<double>(law[token]);
    total += static_cast<double>(law[token]);
  }
  for (double& probability : classes) probability /= total;
  return classes;
}

struct Tally {
  std::array<double, kClasses> surplus{}, variance{};

  void add(const std::array<double, kClasses>& probabilities, Token drawn) {
    for (std::size_t c = 0; c < kClasses; ++c) {
      surplus[c] +=
          (static_cast<std::size_t>(drawn) % kClasses == c ? 1.0 : 0.0) - probabilities[c];
      variance[c] += probabilities[c] * (1.0 - probabilities[c]);
    }
  }
};

/// Largest |z| over nodes and classes.
double largest_z(Drafter& drafter, std::int32_t max_length,
                 const std::vector<Token>& tokens = {1, 2, 3}) {
  Sequence sequence = testing::sequence_of(tokens);
  std::vector<Tally> tallies;
  for (sequence.round = 0; sequence.round < kRounds; ++sequence.round) {
    drafter.begin({&sequence, 1});
    const Draft draft = testing::propose(drafter, sequence, max_length);
    tallies.resize(std::max(tallies.size(), static_cast<std::size_t>(draft.tree.size())));
    for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
      tallies[static_cast<std::size_t>(node)].add(class_probabilities(draft, node),
                                                  draft.tree[node].token);
  }
  double largest = 0;
  for (const Tally& tally : tallies)
    for (std::size_t c = 0; c < kClasses; ++c)
      if (tally.variance[c] > 10)
        largest = std::max(largest, std::abs(tally.surplus[c]) / std::sqrt(tally.variance[c]));
  return largest;
}

std::shared_ptr<LanguageModel> model() {
  DecoderShape config = testing::tiny_config();
  config.vocab_size = 40;
  config.num_layers = 1;
  return testing::tiny_model(config);
}

TEST(DrafterLaws, SmallTransformerDrawsItsChainFromThem) {
  EXPECT_LT(largest_z(*make_small_transformer_drafter(model(), {.seed = 5}), 3), kLimit);
}

TEST(DrafterLaws, SmallTransformerDrawsItsTreeFromThemWithoutReplacement) {
  EXPECT_LT(largest_z(*make_small_transformer_drafter(model(), {.sampling = {.temperature = 1.3},
                                                                .drafter = {.tree = "3x2"},
                                                                .seed = 6}),
                      2),
            kLimit);
}

TEST(DrafterLaws, SmallTransformerDrawsFromThemWithADraftVocabulary) {
  DecoderShape config = testing::tiny_config();
  config.vocab_size = 40;
  config.num_layers = 1;
  config.draft_vocabulary = {0, 1, 4, 5, 9, 12, 15, 22, 23, 31, 38, 39};
  EXPECT_LT(
      largest_z(*make_small_transformer_drafter(
                    testing::tiny_model(config),
                    {.sampling = {.temperature = 1.3}, .drafter = {.tree = "3x2"}, .seed = 6}),
                2),
      kLimit);
}

std::shared_ptr<const NgramModel> ngrams(std::int32_t order) {
  return testing::ngrams_of(
      {{3, 1, 3, 2, 3, 1, 1, 2, 2, 3, 4, 3, 5, 3, 6, 6, 3}, {1, 2, 3, 4, 1, 2, 3, 5}}, 8,
      {.order = order});
}

TEST(DrafterLaws, NgramsDrawFromThem) {
  for (const std::int32_t order : {1, 2, 5})
    EXPECT_LT(largest_z(*testing::make_ngram_drafter(ngrams(order),
                                                     {.sampling = {.temperature = 0.8}, .seed = 7}),
                        3),
              kLimit)
        << "order " << order;
}

/// The sequence is 1, 2, 3, which has nothing to copy; the drafter with something is asked behind a
/// longer one.
TEST(DrafterLaws, TheMixtureOfLookupAndNgramsDrawsFromThem) {
  const DecoderOptions options{.sampling = {.temperature = 0.8},
                               .drafter = {.kind = "lookup_ngram", .lookup_weight = 0.4},
                               .seed = 8};
  EXPECT_LT(largest_z(*testing::make_lookup_ngram_drafter(ngrams(5), options), 3), kLimit);
  EXPECT_LT(
      largest_z(*testing::make_lookup_ngram_drafter(ngrams(5), options), 3, {2, 3, 5, 1, 2, 3}),
      kLimit);
}

TEST(DrafterLaws, TheMixtureOfLookupAndATransformerDrawsFromThem) {
  const DecoderOptions options{.sampling = {.temperature = 0.8},
                               .drafter = {.kind = "lookup_transformer", .lookup_weight = 0.4},
                               .seed = 9};
  EXPECT_LT(largest_z(*testing::make_lookup_transformer_drafter(model(), options), 3), kLimit);
  EXPECT_LT(
      largest_z(*testing::make_lookup_transformer_drafter(model(), options), 3, {2, 3, 5, 1, 2, 3}),
      kLimit);
}

TEST(DrafterLaws, AMixtureDrawsFromThem) {
  const SamplingOptions sampling{.temperature = 0.8};
  const auto mixed = [&](const char* tree) {
    std::vector<MixturePart> parts;
    parts.push_back({model_next_tokens(transformer_draft_model(model()), sampling), 1.0});
    parts.push_back(
        {ngram_next_tokens(testing::ngrams_of({{3, 1, 3, 2, 3, 1}}, 40, {.order = 3}), sampling),
         2.0});
    parts.push_back({copy_next_tokens({.kind = "prompt_lookup"}, 40), 0.5});
    return make_growing_drafter(mixture_next_tokens(std::move(parts), sampling), "mixture",
                                {.sampling = sampling, .drafter = {.tree = tree}, .seed = 10});
  };
  EXPECT_LT(largest_z(*mixed("chain"), 3), kLimit);
  EXPECT_LT(largest_z(*mixed("chain"), 3, {2, 3, 5, 1, 2, 3}), kLimit);
  EXPECT_LT(largest_z(*mixed("3x2"), 2, {2, 3, 5, 1, 2, 3}), kLimit);
}

/// Draws from the model's law and reports it flattened: the field's most common bug.
class LyingDrafter final : public Drafter {
 public:
  std::string name() const override { return "lying"; }
  void begin(std::span<const Sequence> sequences) override { honest_->begin(sequences); }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    honest_->propose(sequences, limits, drafts);
    const Law truth = drafts[0].law_at(0);
    auto values = drafts[0].law_for(0).assign_dense(truth.vocab_size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0.7f * truth[static_cast<Token>(i)] + 0.3f / static_cast<float>(values.size());
  }

 private:
  std::unique_ptr<Drafter> honest_ = make_small_transformer_drafter(model(), {.seed = 5});
};

TEST(DrafterLaws, ReportedOtherwiseAreFound) {
  LyingDrafter drafter;
  EXPECT_GT(largest_z(drafter, 1), kLimit);
}

}  // namespace
}  // namespace speclab::engines
