// The tree of an MLP speculator's best suffixes against all of them, each ranked by itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/engines/drafters/drafting.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/models/tiny_mlp_speculator.h"

namespace speclab::engines {
namespace {

using Path = std::vector<Token>;

const std::vector<int> kTopK{5, 3, 2};

struct Suffix {
  double log_probability = 0;
  Path path{};
};

std::shared_ptr<MlpSpeculator> speculator() {
  static const std::shared_ptr<MlpSpeculator> tiny =
      testing::tiny_mlp_speculator(testing::tiny_config());
  return tiny;
}

/// Adds to `suffixes` what a stage and the later ones put behind `begin`. @param state  of the
/// stage before
void extend(const Suffix& begin, std::vector<float> state, Token last,
            std::vector<Suffix>& suffixes) {
  const std::size_t stage = begin.path.size();
  if (stage == kTopK.size()) return suffixes.push_back(begin);
  const MlpSpeculator::Row row{state.data(), last};
  const MlpSpeculator::Stage said =
      speculator()->run_stage(static_cast<std::int32_t>(stage), {&row, 1});
  double sum = 0;
  for (const float logit : said.logits) sum += std::exp(static_cast<double>(logit));
  std::vector<Suffix> longer(said.logits.size(), begin);
  for (std::size_t i = 0; i < longer.size(); ++i) {
    longer[i].log_probability += static_cast<double>(said.logits[i]) - std::log(sum);
    longer[i].path.push_back(speculator()->info().draft_vocabulary[i]);
  }
  std::ranges::sort(longer, std::ranges::greater(), &Suffix::log_probability);
  longer.resize(static_cast<std::size_t>(kTopK[stage]));
  state.assign(said.states.begin(), said.states.end());
  for (const Suffix& one : longer) extend(one, state, one.path.back(), suffixes);
}

std::set<Path> prefixes(std::vector<Suffix> suffixes, int count) {
  std::ranges::sort(suffixes, std::ranges::greater(), &Suffix::log_probability);
  suffixes.resize(static_cast<std::size_t>(count));
  std::set<Path> all;
  for (const Suffix& suffix : suffixes)
    for (std::size_t length = 1; length <= suffix.path.size(); ++length)
      all.emplace(suffix.path.begin(), suffix.path.begin() + static_cast<std::ptrdiff_t>(length));
  return all;
}

std::set<Path> drafted_paths(const std::string& tree, const Sequence& sequence,
                             const std::vector<float>& hidden) {
  const auto drafter = make_growing_drafter(model_next_tokens(mlp_draft_model(speculator()), {}),
                                            "mlp_speculator", {.drafter = {.tree = tree}});
  drafter->begin({&sequence, 1});
  drafter->read_hidden(sequence, hidden);
  const Draft draft = testing::propose(*drafter, sequence, 8);
  std::set<Path> paths;
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
    paths.insert(testing::path_tokens(draft.tree, node));
  EXPECT_EQ(static_cast<std::int32_t>(paths.size()), draft.tree.drafted()) << "no path twice";
  return paths;
}

TEST(SuffixTree, OfAnMlpSpeculatorIsThatOfItsBestRankedSuffixes) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::set<std::size_t> sizes;
  for (int text = 0; text < 8; ++text) {
    std::vector<float> hidden(static_cast<std::size_t>(speculator()->info().feature_size));
    for (float& value : hidden) value = normal(random);
    const Sequence sequence =
        testing::sequence_of(testing::random_tokens(random, speculator()->info().vocab_size, 4));
    std::vector<Suffix> suffixes;
    extend({}, hidden, sequence.tokens.back(), suffixes);
    ASSERT_EQ(suffixes.size(), 5U * 3U * 2U);
    for (const int count : {1, 2, 5, 13, 29, 30}) {
      const std::set<Path> drafted =
          drafted_paths("suffixes:" + std::to_string(count) + ":5x3x2", sequence, hidden);
      EXPECT_EQ(drafted, prefixes(suffixes, count)) << count << " suffixes";
      if (count == 5) sizes.insert(drafted.size());
    }
  }
  EXPECT_GT(sizes.size(), 1u) << "suffixes that begin alike, in some texts more than in others";
}

}  // namespace
}  // namespace speclab::engines
