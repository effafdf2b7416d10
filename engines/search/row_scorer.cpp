#include "engines/search/row_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/interface/not_finite.h"
#include "engines/sampling/score_processors.h"

namespace speclab::engines {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

bool is_better(const ScoredToken& a, const ScoredToken& b) {
  return a.score > b.score || (a.score == b.score && a.token < b.token);
}

}  // namespace

RowScorer::RowScorer(const DecoderOptions& options, std::string model, std::size_t least)
    : options_(options),
      model_(std::move(model)),
      least_(least),
      cutoffs_(options.sampling),
      passes_(options.sampling.team) {}

void RowScorer::take_log_softmax(std::span<const float> logits) {
  scores_.resize(logits.size());
  probabilities_.resize(logits.size());
  const double total = passes_.softmax(logits, 1.0, std::span<float>(probabilities_));
  const bool keeps_invalid = options_.sampling.rules.remove_invalid_values;
  if (!std::isfinite(total) && !keeps_invalid) throw_logits_not_finite(model_);
  const float largest = *std::ranges::max_element(logits);
  const auto normaliser = static_cast<float>(largest + std::log(total));
  for (std::size_t i = 0; i < logits.size(); ++i) scores_[i] = logits[i] - normaliser;
}

std::span<const float> RowScorer::scores(std::span<const float> logits,
                                         std::span<const Token> history,
                                         std::span<const Token> rivals) {
  if (options_.search->num_beams > 1)
    take_log_softmax(logits);
  else
    scores_.assign(logits.begin(), logits.end());
  for (const Token rival : rivals)
    scores_[static_cast<std::size_t>(rival)] -=
        static_cast<float>(options_.search->diversity_penalty);
  process_scores(options_.sampling, std::span(scores_), history, scratch_);
  const bool is_empty = std::ranges::none_of(scores_, [](float score) { return score > kNever; });
  if (is_empty) return scores_;
  if (options_.search->do_sample) cut();
  if (options_.sampling.rules.renormalize_logits) {
    const std::vector<float> processed = scores_;
    take_log_softmax(processed);
  }
  return scores_;
}

/// Tokens that the cutoffs leave keep their scores.
void RowScorer::cut() {
  const auto inverse = static_cast<float>(1.0 / options_.sampling.temperature);
  for (float& score : scores_) score *= inverse;
  if (!cutoffs_.any()) return;
  probabilities_.resize(scores_.size());
  passes_.softmax(std::span<const float>(scores_), 1.0, std::span<float>(probabilities_));
  cutoffs_.apply(probabilities_, law_);
  std::vector<ScoredToken> kept = best_of(scores_, least_);
  for (const auto& entry : law_.entries())
    kept.push_back({entry.token, scores_[static_cast<std::size_t>(entry.token)]});
  std::ranges::fill(scores_, kNever);
  for (const ScoredToken& one : kept) scores_[static_cast<std::size_t>(one.token)] = one.score;
}

std::vector<ScoredToken> best_of(std::span<const float> scores, std::size_t count) {
  std::vector<ScoredToken> best;  // a heap whose front is the worst
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const ScoredToken one{static_cast<Token>(i), scores[i]};
    if (!(one.score > kNever) || (best.size() == count && !is_better(one, best.front()))) continue;
    if (best.size() == count) {
      std::ranges::pop_heap(best, is_better);
      best.pop_back();
    }
    best.push_back(one);
    std::ranges::push_heap(best, is_better);
  }
  std::ranges::sort_heap(best, is_better);
  return best;
}

}  // namespace speclab::engines
