#include "engines/search/beam_group.h"

#include <algorithm>
#include <cmath>

#include "engines/sampling/score_processors.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// All beams begin with one text. All but the first are so unlikely that they go on only where the
/// first has too few tokens.
constexpr double kUnlikely = -1e9;

bool comes_first(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.beam != b.beam ? a.beam < b.beam : a.token < b.token;
}

/// Calls visit(beam, scores) with the scores of each beam's next token, [vocab].
template <typename Visit>
void visit_scores(const std::vector<Beam>& beams, RowScorer& scorer, const BeamStep& step,
                  const Visit& visit) {
  for (std::size_t b = 0; b < beams.size(); ++b)
    visit(static_cast<std::int32_t>(b),
          scorer.scores(step.result.row(static_cast<std::size_t>(beams[b].row)), beams[b].tokens,
                        step.rivals));
}

Candidate continuation(const std::vector<Beam>& beams, std::int32_t beam, const ScoredToken& next) {
  return {beam, next.token,
          beams[static_cast<std::size_t>(beam)].log_probability + static_cast<double>(next.score)};
}

}  // namespace

double FinishedBeams::score(double log_probability, std::int32_t new_tokens) const {
  return log_probability / std::pow(static_cast<double>(new_tokens), options_.length_penalty);
}

void FinishedBeams::add(FoundSequence sequence, double log_probability) {
  sequence.score = score(log_probability, static_cast<std::int32_t>(sequence.ids.size()));
  if (sequences_.size() >= size_ && *sequence.score <= worst_) return;
  const double added = *sequence.score;
  sequences_.push_back(std::move(sequence));
  if (sequences_.size() <= size_) {
    worst_ = std::min(worst_, added);
    return;
  }
  sequences_.erase(std::ranges::min_element(sequences_, {}, &FoundSequence::score));
  worst_ = *std::ranges::min(sequences_, {}, &FoundSequence::score).score;
}

bool FinishedBeams::are_final(double best, std::int32_t length, const BeamLengths& lengths) const {
  if (sequences_.size() < size_) return false;
  if (options_.early_stopping == EarlyStopping::yes) return true;
  const bool at_any_length =
      options_.early_stopping == EarlyStopping::never && options_.length_penalty > 0;
  const std::int32_t reached = at_any_length ? lengths.longest : length;
  return worst_ >= score(best, reached - lengths.prompt);
}

BeamGroup::BeamGroup(const DecoderOptions& options, std::vector<Token> ends,
                     const BeamLengths& lengths)
    : options_(options),
      ends_(std::move(ends)),
      lengths_(lengths),
      size_(static_cast<std::size_t>(options.search->num_beams / options.search->num_beam_groups)),
      finished_(*options.search, size_) {}

void BeamGroup::begin(std::span<const Token> prompt) {
  ForcedWords words(options_.search->force_words_ids);
  for (const Token token : prompt) words.add(token);
  beams_.assign(size_, {{prompt.begin(), prompt.end()}, kUnlikely, 0, std::move(words)});
  beams_.front().log_probability = 0.0;
}

/// So many that enough are left if each beam's best tokens are all ends.
std::size_t BeamGroup::num_candidates() const {
  return std::max<std::size_t>(2, 1 + ends_.size()) * size_;
}

std::vector<Candidate> BeamGroup::best_candidates(RowScorer& scorer, const BeamStep& step) const {
  std::vector<Candidate> all;
  visit_scores(beams_, scorer, step, [&](std::int32_t beam, std::span<const float> scores) {
    for (const ScoredToken& one : best_of(scores, num_candidates()))
      all.push_back(continuation(beams_, beam, one));
  });
  std::ranges::sort(all, comes_first);
  all.resize(std::min(all.size(), num_candidates()));
  return all;
}

/// Draws without replacement, in proportion to exp(log-probability), over all beams.
std::vector<Candidate> BeamGroup::drawn_candidates(RowScorer& scorer, const BeamStep& step) const {
  std::vector<Candidate> all;
  visit_scores(beams_, scorer, step, [&](std::int32_t beam, std::span<const float> scores) {
    for (std::size_t token = 0; token < scores.size(); ++token)
      if (std::isfinite(scores[token]))
        all.push_back(continuation(beams_, beam, {static_cast<Token>(token), scores[token]}));
  });
  if (all.empty()) return all;
  const double largest = std::ranges::max(all, {}, &Candidate::log_probability).log_probability;
  std::vector<double> weights;
  for (const Candidate& one : all) weights.push_back(std::exp(one.log_probability - largest));
  std::vector<Candidate> drawn;
  ShrinkingWeights<double> left(weights);
  StreamKey key{step.sequence, static_cast<std::uint32_t>(beams_.front().tokens.size()),
                Purpose::target, step.first_draw};
  for (; drawn.size() < num_candidates() && left.left().total() > 0.0; ++key.draw) {
    const std::size_t index = step.chance.categorical(key, left.left());
    drawn.push_back(all[index]);
    left.take_out(index);
  }
  std::ranges::sort(drawn, comes_first);
  return drawn;
}

bool BeamGroup::is_end(Token token) const { return std::ranges::find(ends_, token) != ends_.end(); }

/// Continuations by tokens that further a forced word, however unlikely.
std::vector<ForcedCandidate> BeamGroup::forcing_candidates(RowScorer& scorer,
                                                           const BeamStep& step) const {
  std::vector<ForcedCandidate> forcing;
  visit_scores(beams_, scorer, step, [&](std::int32_t beam, std::span<const float> scores) {
    for (const ForcedWords::Step& next : beams_[static_cast<std::size_t>(beam)].words.steps()) {
      const float score = scores[static_cast<std::size_t>(next.token)];
      if (std::isfinite(score))
        forcing.push_back({continuation(beams_, beam, {next.token, score}), next.progress});
    }
  });
  return forcing;
}

bool BeamGroup::is_same_text(const Candidate& a, const Candidate& b) const {
  return a.token == b.token && beams_[static_cast<std::size_t>(a.beam)].tokens ==
                                   beams_[static_cast<std::size_t>(b.beam)].tokens;
}

/// Behind a mask few texts are left, and all beams can come to one of them.
void BeamGroup::drop_doubles(std::vector<Candidate>& candidates) const {
  std::vector<Candidate> kept;
  for (const Candidate& one : candidates)
    if (std::ranges::none_of(kept,
                             [&](const Candidate& other) { return is_same_text(one, other); }))
      kept.push_back(one);
  candidates = std::move(kept);
}

/// The likely candidates and those that further words, as many as there are beams.
std::vector<Candidate> BeamGroup::beside_forcing(
    const std::vector<Candidate>& likely, const std::vector<ForcedCandidate>& forcing) const {
  std::vector<ForcedCandidate> all;
  for (const Candidate& one : likely) all.push_back({one, continued(one).words.progress()});
  for (const ForcedCandidate& one : forcing)
    if (std::ranges::none_of(all, [&](const ForcedCandidate& other) {
          return is_same_text(one.candidate, other.candidate);
        }))
      all.push_back(one);
  return all.size() == likely.size() ? likely : chosen_in_turn(std::move(all), size_);
}

void BeamGroup::step(RowScorer& scorer, const BeamStep& step) {
  std::vector<Candidate> candidates =
      options_.search->do_sample ? drawn_candidates(scorer, step) : best_candidates(scorer, step);
  if (options_.sampling.rules.mask) drop_doubles(candidates);
  if (candidates.empty()) throw ConfigError(kNoTokenLeft);
  std::vector<Candidate> next = without_ends(candidates);
  if (!options_.search->force_words_ids.empty())
    next = beside_forcing(next, forcing_candidates(scorer, step));
  const auto length = static_cast<std::int32_t>(beams_.front().tokens.size()) + 1;
  go_on(next);
  is_done_ = is_done_ || beams_.empty() ||
             finished_.are_final(candidates.front().log_probability, length, lengths_);
}

/// A text that ends counts if it is among as many best candidates as there are beams, and had all
/// forced words before its end.
std::vector<Candidate> BeamGroup::without_ends(const std::vector<Candidate>& candidates) {
  std::vector<Candidate> next;
  for (std::size_t rank = 0; rank < candidates.size() && next.size() < size_; ++rank) {
    const Candidate& one = candidates[rank];
    if (!is_end(one.token))
      next.push_back(one);
    else if (rank < size_ && beams_[static_cast<std::size_t>(one.beam)].words.are_met())
      finished_.add(text_of(continued(one), StopReason::end_of_sequence), one.log_probability);
  }
  return next;
}

void BeamGroup::go_on(const std::vector<Candidate>& candidates) {
  std::vector<Beam> next;
  for (const Candidate& one : candidates) next.push_back(continued(one));
  beams_ = std::move(next);
}

Beam BeamGroup::continued(const Candidate& candidate) const {
  Beam longer = beams_[static_cast<std::size_t>(candidate.beam)];
  longer.tokens.push_back(candidate.token);
  longer.words.add(candidate.token);
  longer.log_probability = candidate.log_probability;
  return longer;
}

FoundSequence BeamGroup::text_of(const Beam& beam, StopReason reason) const {
  return {.ids = {beam.tokens.begin() + lengths_.prompt, beam.tokens.end()}, .stop_reason = reason};
}

void BeamGroup::finish(StopReason reason) {
  if (is_done_) return;
  const auto lacking =
      std::ranges::stable_partition(beams_, [](const Beam& beam) { return beam.words.are_met(); });
  const auto num_met = std::ssize(beams_) - std::ssize(lacking);
  if (num_met >= options_.search->num_return_sequences)
    beams_.erase(lacking.begin(), lacking.end());
  for (const Beam& beam : beams_) finished_.add(text_of(beam, reason), beam.log_probability);
  is_done_ = true;
}

}  // namespace speclab::engines
