// The exact law of beam sampling: every draw forks, and the law of what is found is compared with
// one that is written out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engines/search/beam_search.h"
#include "tests/engines/exactness/world_model.h"

namespace speclab::engines {
namespace {

using speclab::testing::SmallWorld, speclab::testing::Tokens;

constexpr Token kEnd = 2;

/// Texts that a search returns, best first, joined by -1.
Tokens outcome_of(const std::vector<FoundSequence>& sequences) {
  Tokens outcome;
  for (const FoundSequence& one : sequences) {
    outcome.insert(outcome.end(), one.ids.begin(), one.ids.end());
    outcome.push_back(-1);
  }
  return outcome;
}

/// Two beams, written out: a step draws four continuations without replacement.
class WrittenOut {
 public:
  WrittenOut(RowScorer& scorer, LanguageModel& model, int max_new_tokens, bool has_end)
      : scorer_(scorer), model_(model), max_new_tokens_(max_new_tokens), has_end_(has_end) {}

  std::map<Tokens, double> law() {
    follow({{{}, 0.0}}, {}, 1.0);
    return law_;
  }

 private:
  struct Text {
    Tokens ids;
    double log_probability;
  };
  using Texts = std::vector<Text>;

  /// All continuations of open texts by one token.
  Texts continuations(const Texts& open) {
    Texts all;
    for (const Text& text : open) {
      Tokens whole{0};
      whole.insert(whole.end(), text.ids.begin(), text.ids.end());
      const auto cache = model_.make_cache(1, 16);
      std::vector<ForwardRow> rows;
      const std::int32_t slot = cache->begin();
      for (std::size_t i = 0; i < whole.size(); ++i)
        rows.push_back(
            {whole[i], static_cast<std::int32_t>(i), slot, static_cast<std::int32_t>(i) - 1});
      const ForwardResult result = model_.forward(rows, *cache);
      const auto scores = scorer_.scores(result.row(whole.size() - 1), whole, {});
      for (std::size_t token = 0; token < scores.size(); ++token) {
        all.push_back({text.ids, text.log_probability + static_cast<double>(scores[token])});
        all.back().ids.push_back(static_cast<Token>(token));
      }
    }
    return all;
  }

  void follow(const Texts& open, const Texts& ended, double probability) {
    draw(continuations(open), {}, ended, probability);
  }

  void draw(const Texts& left, const Texts& drawn, const Texts& ended, double probability) {
    if (drawn.size() == 4 || left.empty()) return choose(drawn, ended, probability);
    double total = 0;
    for (const Text& one : left) total += std::exp(one.log_probability);
    for (std::size_t i = 0; i < left.size(); ++i) {
      Texts rest = left, more = drawn;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      more.push_back(left[i]);
      draw(rest, more, ended, probability * std::exp(left[i].log_probability) / total);
    }
  }

  static void sort(Texts& texts) {
    std::ranges::sort(texts, std::greater{}, &Text::log_probability);
  }

  void choose(Texts drawn, Texts ended, double probability) {
    sort(drawn);
    Texts open;
    for (std::size_t rank = 0; rank < drawn.size() && open.size() < 2; ++rank) {
      const bool is_end = has_end_ && drawn[rank].ids.back() == kEnd;
      if (!is_end) open.push_back(drawn[rank]);
      if (is_end && rank < 2) ended.push_back(drawn[rank]);
    }
    if (static_cast<int>(drawn.front().ids.size()) < max_new_tokens_ && ended.size() < 2)
      return follow(open, ended, probability);
    if (ended.size() < 2) ended.insert(ended.end(), open.begin(), open.end());
    // A text's score is its log-probability over its length.
    std::ranges::sort(ended, std::greater{}, [](const Text& text) {
      return text.log_probability / static_cast<double>(text.ids.size());
    });
    std::vector<FoundSequence> best;
    for (const Text& text : ended) best.push_back({.ids = text.ids});
    best.resize(2);
    law_[outcome_of(best)] += probability;
  }

  RowScorer& scorer_;
  LanguageModel& model_;
  int max_new_tokens_;
  bool has_end_;
  std::map<Tokens, double> law_;
};

struct Case {
  int vocab_size, max_new_tokens;
  bool has_end;
  double temperature;
  std::int32_t top_k;
};

class BeamSampling : public ::testing::TestWithParam<Case> {
 protected:
  DecoderOptions options() const {
    DecoderOptions options{.search = SearchOptions{}};
    options.search->num_beams = options.search->num_return_sequences = 2;
    options.search->do_sample = true;
    options.search->early_stopping = EarlyStopping::yes;
    options.sampling.temperature = GetParam().temperature;
    options.sampling.top_k = GetParam().top_k;
    options.stop.max_new_tokens = GetParam().max_new_tokens;
    options.stop.eos_token_ids = std::vector<Token>{};
    if (GetParam().has_end) options.stop.eos_token_ids->push_back(kEnd);
    return options;
  }
};

/// Defect: draws with replacement, draws from one beam's law alone, an end that counts at any rank,
/// a finished text that comes back.
TEST_P(BeamSampling, HasTheLawThatIsWrittenOut) {
  const SmallWorld world({.vocab_size = GetParam().vocab_size, .seed = 3});
  const auto model = testing::make_world_model(world, testing::Side::target);
  const DecoderOptions options = this->options();
  RowScorer scorer(options, "world", 2);
  const std::map<Tokens, double> expected =
      WrittenOut(scorer, *model, options.stop.max_new_tokens, GetParam().has_end).law();
  std::map<Tokens, double> law;
  ForkingChance chance;
  do {
    BeamSearch search(*model, nullptr, options, chance);
    const Tokens outcome = outcome_of(search.run({0, {0}}, [] {}).sequences);
    law[outcome] += chance.probability();
  } while (chance.next_path());
  EXPECT_EQ(chance.num_repeated_keys(), 0u);
  EXPECT_GT(law.size(), 2u);
  EXPECT_NEAR(speclab::testing::total_mass(law), 1.0, 1e-12);
  EXPECT_LT(speclab::testing::max_difference(law, expected), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Cases, BeamSampling,
                         ::testing::Values(Case{6, 1, false, 1.0, 0}, Case{6, 1, true, 0.7, 0},
                                           Case{4, 2, false, 1.3, 0}, Case{4, 2, true, 1.0, 3}));

}  // namespace
}  // namespace speclab::engines
