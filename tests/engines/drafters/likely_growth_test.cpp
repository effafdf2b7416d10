// Trees of the likeliest tokens against slow references that read one node at a time, each by a
// forward of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "engines/drafters/next_tokens.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/likely_paths.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::Children;
using testing::likeliest;
using testing::Likely;
using testing::likely_paths;
using testing::propose;
using testing::sequence_of;
using Path = testing::TokenPath;

constexpr std::int32_t kVocab = 40;

std::shared_ptr<LanguageModel> growing_model() {
  static const std::shared_ptr<LanguageModel> tiny = [] {
    DecoderShape config = testing::tiny_config();
    config.vocab_size = kVocab;
    return testing::tiny_model(config);
  }();
  return tiny;
}

std::shared_ptr<const NgramModel> ngrams() {
  return testing::ngrams_of(
      {{3, 1, 3, 2, 3, 1, 1, 2, 2, 3, 4, 3, 5, 3, 6, 6, 3}, {1, 2, 3, 4, 1, 2, 3, 5, 7, 3}}, 8,
      {.order = 3});
}

DecoderOptions options_of(const std::string& tree, double temperature = 1.0) {
  return {.sampling = {.temperature = temperature}, .drafter = {.tree = tree}, .seed = 3};
}

Children of_transformer(const Path& text) {
  return [text](const Likely& parent, int count) {
    Path whole = text;
    whole.insert(whole.end(), parent.path.begin(), parent.path.end());
    const auto logits = testing::logits_of(*growing_model(), whole).back();
    std::vector<double> probabilities;
    double sum = 0;
    for (const float logit : logits)
      sum += probabilities.emplace_back(std::exp(static_cast<double>(logit)));
    for (double& probability : probabilities) probability /= sum;
    return likeliest(probabilities, parent, count);
  };
}

Children of_ngrams(const Path& text) {
  return [text](const Likely& parent, int count) {
    Path whole = text;
    whole.insert(whole.end(), parent.path.begin(), parent.path.end());
    std::vector<LawEntry<float>> entries;
    ngrams()->most_likely(whole, entries);
    std::vector<double> probabilities(8, 0.0);
    for (const LawEntry<float>& entry : entries)
      probabilities[static_cast<std::size_t>(entry.token)] = static_cast<double>(entry.probability);
    return likeliest(probabilities, parent, count);
  };
}

std::set<Path> paths_of(const Draft& draft) {
  std::set<Path> paths;
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
    paths.insert(testing::path_tokens(draft.tree, node));
  return paths;
}

constexpr const char* kTrees[] = {"best_first:1",  "best_first:7:2",      "best_first:12:4",
                                  "best_first:30", "best_first:20:5x3x2", "beam:1",
                                  "beam:7:2",      "beam:12:4",           "beam:30"};
/// Of a drafter that holds no two paths equally likely: which of them is the last to be taken would
/// change the tree.
constexpr const char* kTreesOfSuffixes[] = {"suffixes:1:4",      "suffixes:1:5x3x2",
                                            "suffixes:5:5x3x2",  "suffixes:17:5x3x2",
                                            "suffixes:30:5x3x2", "suffixes:4:1x3x1x2"};

TEST(LikelyGrowth, OfATransformerIsTheSlowReferences) {
  std::mt19937 random(5);
  std::vector<const char*> trees(std::begin(kTrees), std::end(kTrees));
  trees.insert(trees.end(), std::begin(kTreesOfSuffixes), std::end(kTreesOfSuffixes));
  for (const char* tree : trees)
    for (const int levels : {1, 2, 4, 7}) {
      const Sequence sequence = sequence_of(testing::random_tokens(random, kVocab, 6));
      const auto drafter = make_small_transformer_drafter(growing_model(), options_of(tree));
      drafter->begin({&sequence, 1});
      EXPECT_EQ(paths_of(propose(*drafter, sequence, levels)),
                likely_paths(of_transformer(sequence.tokens), tree, levels))
          << tree << ", " << levels << " levels";
    }
}

/// Tokens that are equally likely may stand for one another; the probabilities of their paths may
/// not.
double probability_of_ngrams(const Sequence& sequence, const std::set<Path>& paths) {
  double sum = 0;
  for (const Path& path : paths) {
    Path text = sequence.tokens;
    double probability = 1;
    for (const Token token : path) {
      probability *= ngrams()->probability(text, token);
      text.push_back(token);
    }
    sum += probability;
  }
  return sum;
}

TEST(LikelyGrowth, OfNgramsIsTheSlowReferences) {
  for (const char* tree : kTrees)
    for (const int levels : {1, 2, 4, 7})
      for (const Token last : {1, 2, 3, 6}) {
        const Sequence sequence = sequence_of({4, last});
        const Draft draft =
            propose(*testing::make_ngram_drafter(ngrams(), options_of(tree)), sequence, levels);
        const std::set<Path> found = paths_of(draft),
                             expected = likely_paths(of_ngrams(sequence.tokens), tree, levels);
        EXPECT_EQ(found.size(), expected.size())
            << tree << ", " << levels << " levels behind " << last;
        EXPECT_NEAR(probability_of_ngrams(sequence, found),
                    probability_of_ngrams(sequence, expected), 1e-6)
            << tree << ", " << levels << " levels behind " << last;
      }
}

/// What the n-grams know nothing of ends a suffix before its last level.
TEST(LikelyGrowth, OfSuffixesKeepsThoseThatEndEarly) {
  const auto two = testing::ngrams_of({{1, 2, 1, 2, 1, 2}}, 8, {.order = 2, .max_successors = 1});
  const Draft draft = propose(*testing::make_ngram_drafter(two, options_of("suffixes:1:3x3x3")),
                              sequence_of({1}), 3);
  EXPECT_EQ(paths_of(draft), (std::set<Path>{{2}, {2, 1}, {2, 1, 2}}));
}

/// Nodes, where the others have levels.
TEST(LikelyGrowth, OfAnAdaptiveTreeHasAsManyNodesAsTheLimit) {
  const Sequence sequence = sequence_of({9, 8, 7, 9, 8});
  for (const int nodes : {1, 2, 5, 9, 64, 80}) {
    const auto drafter =
        make_small_transformer_drafter(growing_model(), options_of("best_first:adaptive"));
    drafter->begin({&sequence, 1});
    const Draft draft = propose(*drafter, sequence, nodes);
    EXPECT_EQ(draft.tree.drafted(), std::min(nodes, 64));
    EXPECT_EQ(paths_of(draft),
              likely_paths(of_transformer(sequence.tokens),
                           "best_first:" + std::to_string(std::min(nodes, 64)), nodes))
        << nodes;
  }
}

/// Probabilities that fall fast and depend on the path: trees grow deep where `sure` is near 1.
class ScriptedTokens final : public NextTokens {
 public:
  explicit ScriptedTokens(double sure) : sure_(sure) {}
  std::size_t vocab_size() const override { return 16; }
  bool start(const Sequence&, std::int32_t) override { return true; }
  void law(const DraftPlace&, Law&) override {}
  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    entries_.clear();
    for (const Likely& child :
         children()({0.0, testing::path_tokens(place.tree, place.node)}, static_cast<int>(count)))
      entries_.push_back({child.path.back(), static_cast<float>(std::exp(child.log_probability))});
    return entries_;
  }
  double likelihood(const DraftPlace&, Token) override { return 0; }
  /// What depends on the path alone.
  Children children() const {
    return [sure = sure_](const Likely& parent, int count) {
      std::uint32_t state = 17;
      for (const Token token : parent.path)
        state = state * 31 + static_cast<std::uint32_t>(token) + 1;
      std::mt19937 random(state);
      std::vector<double> probabilities(16);
      double left = 1;
      for (int place = 0; place < 16; ++place) {
        const double share = place == 0 ? sure - 0.01 * static_cast<double>(random() % 100) / 100
                                        : 0.5 + 0.3 * static_cast<double>(random() % 100) / 100;
        probabilities[static_cast<std::size_t>((place + static_cast<int>(parent.path.size())) %
                                               16)] =
            static_cast<double>(static_cast<float>(left * share));
        left *= 1 - share;
      }
      return likeliest(probabilities, parent, count);
    };
  }

 private:
  double sure_;
  std::vector<LawEntry<float>> entries_;
};

/// Sure drafters have deep trees; the waves end only where nothing that may be drafted is left to
/// be read.
TEST(LikelyGrowth, OfASureDrafterGrowsAsDeepAsTheReferences) {
  const Sequence sequence = sequence_of({1});
  for (const double sure : {0.5, 0.9, 0.97})
    for (const char* tree :
         {"best_first:16:4", "best_first:32", "beam:8:8", "beam:16", "beam:24:3"})
      for (const int levels : {3, 12, 20}) {
        auto tokens = std::make_unique<ScriptedTokens>(sure);
        const Children children = tokens->children();
        const auto drafter = make_growing_drafter(std::move(tokens), "scripted", options_of(tree));
        EXPECT_EQ(paths_of(propose(*drafter, sequence, levels)),
                  likely_paths(children, tree, levels))
            << tree << ", " << levels << " levels, " << sure;
      }
}

/// What is drafted depends on no draw, so that each token counts as certain; parents stand before
/// their children.
TEST(LikelyGrowth, DraftsCertainTokensAtEveryTemperature) {
  const Sequence sequence = sequence_of({9, 8, 7, 9, 8});
  std::set<Path> first;
  for (const double temperature : {0.0, 0.7, 1.5}) {
    const auto drafter =
        make_small_transformer_drafter(growing_model(), options_of("best_first:9", temperature));
    drafter->begin({&sequence, 1});
    const Draft draft = propose(*drafter, sequence, 5);
    EXPECT_EQ(draft.draw_kind, DrawKind::arg_max);
    EXPECT_EQ(draft.tree.drafted(), 9);
    if (first.empty()) first = paths_of(draft);
    EXPECT_EQ(paths_of(draft), first);
    for (TokenTree::Node node = 1; node < draft.tree.size(); ++node) {
      EXPECT_LT(draft.tree[node].parent, node);
      EXPECT_EQ(draft.law_at(draft.tree[node].parent).form(), Law::Form::point_mass);
    }
  }
}

TEST(LikelyGrowth, DraftsNothingWhereNothingMayBeDrafted) {
  const Sequence sequence = sequence_of({9, 8, 7});
  const auto drafter = make_small_transformer_drafter(growing_model(), options_of("beam:6"));
  drafter->begin({&sequence, 1});
  EXPECT_EQ(propose(*drafter, sequence, 0).tree.drafted(), 0);
}

/// A token of the lookup with its weight beside the n-grams' own.
TEST(LikelyGrowth, OfTheMixturePrefersTheCopy) {
  DecoderOptions options = options_of("best_first:4:2");
  options.drafter.kind = "lookup_ngram";
  const Sequence sequence = sequence_of({2, 3, 5, 1, 2, 3});
  const auto drafter = testing::make_lookup_ngram_drafter(ngrams(), options);
  drafter->begin({&sequence, 1});
  const std::set<Path> paths = paths_of(propose(*drafter, sequence, 3));
  EXPECT_TRUE(paths.contains({5}));
  EXPECT_TRUE(paths.contains({5, 1}));
  EXPECT_TRUE(paths.contains({5, 1, 2}));
}

}  // namespace
}  // namespace speclab::engines
