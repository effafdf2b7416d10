#include <gtest/gtest.h>

#include <algorithm>

#include "engines/sampling/logits_pipeline.h"
#include "sim/system/errors.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::drafted_tokens;
using testing::propose;
using testing::sequence_of;

std::shared_ptr<LanguageModel> drafting_model() {
  static const std::shared_ptr<LanguageModel> tiny = testing::tiny_model(testing::tiny_config());
  return tiny;
}

DecoderOptions options_of(double temperature, const std::string& tree,
                          double repetition_penalty = 1.0) {
  return {.sampling = {.temperature = temperature, .repetition_penalty = repetition_penalty},
          .drafter = {.tree = tree},
          .seed = 12};
}

std::unique_ptr<Drafter> begun(const DecoderOptions& options, const Sequence& sequence) {
  auto drafter = make_small_transformer_drafter(drafting_model(), options);
  drafter->begin({&sequence, 1});
  return drafter;
}

void expect_equal(const Law& a, const Law& b) {
  ASSERT_EQ(a.vocab_size(), b.vocab_size());
  for (Token token = 0; static_cast<std::size_t>(token) < a.vocab_size(); ++token)
    ASSERT_EQ(a[token], b[token]) << "token " << token;
}

void expect_equal(const Draft& a, const Draft& b) {
  EXPECT_EQ(drafted_tokens(a), drafted_tokens(b));
  ASSERT_EQ(a.num_laws, b.num_laws);
  for (std::int32_t i = 0; i < a.num_laws; ++i)
    expect_equal(a.laws[static_cast<std::size_t>(i)], b.laws[static_cast<std::size_t>(i)]);
}

/// The law after the sequence and the path to a node, by a forward of its own.
Law law_by_definition(const DecoderOptions& options, const Sequence& sequence, const Draft& draft,
                      TokenTree::Node node) {
  auto text = sequence.tokens;
  const auto path = testing::path_tokens(draft.tree, node);
  text.insert(text.end(), path.begin(), path.end());
  Law law;
  LogitsPipeline(options.sampling)
      .law(testing::logits_of(*drafting_model(), text).back(), text, law);
  return law;
}

struct Case {
  const char* name;
  double temperature;
  const char* tree;
  double repetition_penalty;
  int levels;
  std::vector<int> parents;  ///< of the whole tree, root 0
};

const std::vector<Case> kCases{
    {"SampledChain", 1.0, "chain", 1.0, 4, {0, 1, 2, 3}},
    {"GreedyChain", 0.0, "chain", 1.0, 4, {0, 1, 2, 3}},
    {"PenalisedChain", 0.8, "chain", 1.4, 3, {0, 1, 2}},
    {"SampledTree", 1.0, "2x2x1", 1.0, 3, {0, 0, 1, 1, 2, 2, 3, 4, 5, 6}},
    {"GreedyTree", 0.0, "3x2", 1.0, 2, {0, 0, 0, 1, 1, 2, 2, 3, 3}},
    {"PenalisedTree", 1.0, "2x1", 1.5, 2, {0, 0, 1, 2}},
    {"UnevenTree", 1.0, "parents:0,0,0,1,1,3", 1.0, 2, {0, 0, 0, 1, 1, 3}},
};

class SmallTransformer : public ::testing::TestWithParam<Case> {
 protected:
  DecoderOptions options_ =
      options_of(GetParam().temperature, GetParam().tree, GetParam().repetition_penalty);
  Sequence sequence_ = sequence_of({5, 17, 33, 17, 250, 8});
};

INSTANTIATE_TEST_SUITE_P(, SmallTransformer, ::testing::ValuesIn(kCases),
                         [](const auto& named) { return named.param.name; });

TEST_P(SmallTransformer, DraftsTheShapeAskedFor) {
  const Draft draft = propose(*begun(options_, sequence_), sequence_, GetParam().levels);
  ASSERT_EQ(draft.tree.drafted(), static_cast<int>(GetParam().parents.size()));
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
    EXPECT_EQ(draft.tree[node].parent, GetParam().parents[static_cast<std::size_t>(node) - 1]);
}

TEST_P(SmallTransformer, ReportsTheLawAfterEveryNode) {
  const Draft draft = propose(*begun(options_, sequence_), sequence_, GetParam().levels);
  for (const int parent : GetParam().parents)
    expect_equal(draft.law_at(parent), law_by_definition(options_, sequence_, draft, parent));
}

TEST_P(SmallTransformer, SiblingsAreDistinctAndPossible) {
  const Draft draft = propose(*begun(options_, sequence_), sequence_, GetParam().levels);
  EXPECT_EQ(draft.tree.num_rows(), draft.tree.size());
  if (GetParam().temperature == 0) return;
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
    EXPECT_GT(draft.law_at(draft.tree[node].parent)[draft.tree[node].token], 0.0f);
}

TEST_P(SmallTransformer, DraftsNoDeeperThanAllowed) {
  for (int levels = 0; levels <= GetParam().levels; ++levels) {
    const Draft draft = propose(*begun(options_, sequence_), sequence_, levels);
    std::int32_t depth = 0;
    for (TokenTree::Node node = 0; node < draft.tree.size(); ++node)
      depth = std::max(depth, draft.tree[node].depth);
    EXPECT_EQ(depth, levels);
  }
}

/// After any number of accepted tokens, and rounds in which nothing was drafted, a used drafter
/// drafts as a fresh one.
TEST_P(SmallTransformer, KeepsItsCacheCompleteWhateverIsAccepted) {
  for (int accepted = 0; accepted <= GetParam().levels; ++accepted) {
    Sequence sequence = sequence_;
    const auto used = begun(options_, sequence);
    for (int repetition = 0; repetition < 3; ++repetition) {
      const Draft draft = propose(*used, sequence, repetition == 1 ? 0 : GetParam().levels);
      TokenTree::Node node = 0;
      for (int depth = 0; depth < accepted && node < draft.tree.size(); ++depth) {
        std::vector<TokenTree::Node> children;
        draft.tree.children(node, children);
        if (children.empty()) break;
        node = children.back();
        sequence.tokens.push_back(draft.tree[node].token);
      }
      sequence.tokens.push_back(100 + accepted);
      used->observe(sequence, draft, {});
      ++sequence.round;
    }
    expect_equal(propose(*used, sequence, GetParam().levels),
                 propose(*begun(options_, sequence), sequence, GetParam().levels));
  }
}

TEST(SmallTransformerDrafter, GreedyTreeHoldsTheMostLikelyTokens) {
  const Sequence sequence = sequence_of({1, 2, 3});
  const auto tokens = drafted_tokens(propose(*begun(options_of(0, "4"), sequence), sequence, 1));
  const auto logits = testing::logits_of(*drafting_model(), sequence.tokens).back();
  EXPECT_EQ(tokens.size(), 1U);  // "4" is a chain of four, of which one level is allowed
  EXPECT_EQ(tokens[0], std::max_element(logits.begin(), logits.end()) - logits.begin());
  const auto siblings =
      drafted_tokens(propose(*begun(options_of(0, "3x1"), sequence), sequence, 1));
  std::vector<Token> order(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Token>(i);
  std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  EXPECT_EQ(siblings, std::vector<Token>(order.begin(), order.begin() + 3));
}

TEST(SmallTransformerDrafter, DraftsNothingBeyondItsContext) {
  DecoderShape config = testing::tiny_config();
  config.context_length = 10;
  const auto drafter =
      make_small_transformer_drafter(testing::tiny_model(config), options_of(1, "chain"));
  const Sequence fits = sequence_of({1, 2, 3, 4, 5, 6, 7}),
                 leaves = sequence_of({1, 2, 3, 4, 5, 6, 7, 8});
  drafter->begin({&fits, 1});
  EXPECT_EQ(propose(*drafter, fits, 3).tree.drafted(), 3);
  EXPECT_EQ(propose(*drafter, leaves, 3).tree.drafted(), 0);
  EXPECT_EQ(propose(*drafter, leaves, 2).tree.drafted(), 2);
}

TEST(SmallTransformerDrafter, BeginsAgainWithoutARemainder) {
  const auto options = options_of(1, "chain");
  const Sequence first = sequence_of({9, 8, 7, 6, 5, 4}), second = sequence_of({1, 2});
  const auto used = begun(options, first);
  propose(*used, first, 3);
  used->begin({&second, 1});
  expect_equal(propose(*used, second, 3), propose(*begun(options, second), second, 3));
}

TEST(SmallTransformerDrafter, RefusesAShapeItDoesNotKnow) {
  EXPECT_THROW(make_small_transformer_drafter(drafting_model(), options_of(1, "bush")),
               ConfigError);
}

/// The laws are 0 outside it, and those of the whole head inside, scaled.
TEST(SmallTransformerDrafter, DraftsFromItsDraftVocabularyOnly) {
  DecoderShape config = testing::tiny_config();
  for (Token token = 0; token < config.vocab_size; token += 3)
    config.draft_vocabulary.push_back(token);
  const DecoderOptions options = options_of(1.0, "2x2x1");
  const Sequence sequence = sequence_of({5, 17, 33});
  const auto drafter = make_small_transformer_drafter(testing::tiny_model(config), options);
  drafter->begin({&sequence, 1});
  const Draft draft = propose(*drafter, sequence, 3);
  ASSERT_EQ(draft.tree.drafted(), 10);
  for (const Token token : drafted_tokens(draft)) EXPECT_EQ(token % 3, 0);
  const Law whole = law_by_definition(options, sequence, draft, 0);
  const Law& law = draft.law_at(0);
  double inside = 0;
  for (const Token token : config.draft_vocabulary) inside += static_cast<double>(whole[token]);
  ASSERT_LT(inside, 0.9);
  for (Token token = 0; token < config.vocab_size; ++token)
    EXPECT_NEAR(static_cast<double>(law[token]),
                token % 3 == 0 ? static_cast<double>(whole[token]) / inside : 0.0, 1e-6)
        << token;
}

}  // namespace
}  // namespace speclab::engines
