#include "engines/search/contrastive_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/decoding/decoder_base.h"
#include "engines/interface/not_finite.h"
#include "engines/models/clock.h"
#include "engines/models/commit_chain.h"
#include "engines/sampling/score_processors.h"
#include "engines/search/search_checks.h"

namespace speclab::engines {
namespace {

/// The vector at length 1.
std::vector<float> normed(std::span<const float> vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  const auto scale = static_cast<float>(1.0 / std::sqrt(squares));
  std::vector<float> result(vector.begin(), vector.end());
  for (float& x : result) x *= scale;
  return result;
}

}  // namespace

ContrastiveSearch::ContrastiveSearch(LanguageModel& target,
                                     std::shared_ptr<const Tokenizer> tokenizer,
                                     const DecoderOptions& options)
    : target_(target),
      tokenizer_(std::move(tokenizer)),
      options_(options),
      scorer_(options_, target.info().name, 1) {
  check_search_options(options_, target.info(), tokenizer_.get());
}

SearchRecord ContrastiveSearch::run(const Request& request, const std::function<void()>& check) {
  check_request(request, target_.info(), options_.stop.max_new_tokens);
  options_.sampling.rules.set_lengths(request.prompt_ids.size(), options_.stop.max_new_tokens);
  LapClock clock;
  record_ = {};
  prefill(request);
  record_.prefill_ns = clock.lap_ns();
  StopRules rules(options_.stop, tokenizer_);
  rules.begin();
  FoundSequence found;
  do {
    check();
    found.ids.push_back(step());
  } while (!rules.ends_with(found.ids.back(), found.stop_reason));
  record_.decode_ns = clock.lap_ns();
  record_.read.target = target_.bytes_read();
  record_.sequences = {std::move(found)};
  return std::move(record_);
}

void ContrastiveSearch::prefill(const Request& request) {
  tokens_ = request.prompt_ids;
  const auto length = static_cast<std::int32_t>(tokens_.size());
  const std::int64_t tokens = std::int64_t{length} + options_.stop.max_new_tokens;
  const std::int64_t state_bytes =
      tokens * target_.info().last_state_size() * std::int64_t{sizeof(float)};
  require_memory_for_cache(target_.info(), tokens + options_.search->top_k, options_.search->top_k,
                           state_bytes);
  const auto capacity = static_cast<std::int32_t>(tokens + options_.search->top_k);
  cache_ = target_.make_cache(1, capacity);
  slot_ = cache_->begin();
  const auto size = static_cast<std::size_t>(target_.info().state_size());
  states_.clear();
  commit_chain(target_, *cache_, slot_, std::span(tokens_).first(tokens_.size() - 1),
               [&](std::span<const float> hidden) {
                 for (std::size_t at = 0; at < hidden.size(); at += size)
                   remember(hidden.subspan(at, size));
               });
  const ForwardResult last =
      commit_chain_with_logits(target_, *cache_, slot_, {std::span(tokens_).last(1)});
  logits_.assign(last.row(0).begin(), last.row(0).end());
  remember(last.hidden_row(0));
}

/// The input of the head comes first in a hidden state.
void ContrastiveSearch::remember(std::span<const float> hidden) {
  const std::vector<float> state =
      normed(hidden.first(static_cast<std::size_t>(target_.info().last_state_size())));
  states_.insert(states_.end(), state.begin(), state.end());
}

std::vector<ScoredToken> ContrastiveSearch::candidates() {
  const std::span<const float> scores = scorer_.scores(logits_, tokens_, {});
  std::vector<ScoredToken> best = best_of(scores, static_cast<std::size_t>(options_.search->top_k));
  if (best.empty()) throw ConfigError(kNoTokenLeft);
  const auto likelihood = [largest = static_cast<double>(best.front().score)](float score) {
    return std::exp(static_cast<double>(score) - largest);
  };
  double total = 0;
  for (const float score : scores) total += likelihood(score);
  if (!std::isfinite(total)) throw_logits_not_finite(target_.info().name);
  for (ScoredToken& one : best) one.score = static_cast<float>(likelihood(one.score) / total);
  return best;
}

double ContrastiveSearch::largest_similarity(std::span<const float> hidden) const {
  const std::vector<float> state =
      normed(hidden.first(static_cast<std::size_t>(target_.info().last_state_size())));
  double largest = -1;
  for (std::size_t at = 0; at < states_.size(); at += state.size())
    largest = std::max(largest, static_cast<double>(std::inner_product(
                                    state.begin(), state.end(),
                                    states_.begin() + static_cast<std::ptrdiff_t>(at), 0.0f)));
  return largest;
}

std::size_t ContrastiveSearch::choose(const std::vector<ScoredToken>& candidates,
                                      const ForwardResult& result) const {
  std::size_t best = 0;
  double best_score = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double score =
        (1 - options_.search->penalty_alpha) * static_cast<double>(candidates[i].score) -
        options_.search->penalty_alpha * largest_similarity(result.hidden_row(i));
    if (i == 0 || score > best_score) best = i, best_score = score;
  }
  return best;
}

Token ContrastiveSearch::step() {
  LapClock clock;
  RoundRecord round{.round = static_cast<std::int32_t>(record_.rounds.size()),
                    .position = static_cast<std::int32_t>(tokens_.size()),
                    .emitted = 1};
  const std::vector<ScoredToken> tried = candidates();
  std::vector<ForwardRow> rows;
  for (const ScoredToken& one : tried) {
    rows.push_back({one.token, static_cast<std::int32_t>(tokens_.size()), slot_});
    rows.back().wants_hidden = true;
  }
  round.rows = static_cast<std::int32_t>(std::ssize(rows));
  round.other_ns = clock.lap_ns();
  const ForwardResult result = target_.forward(rows, *cache_);
  round.target_ns = clock.lap_ns();
  const std::size_t chosen = choose(tried, result);
  logits_.assign(result.row(chosen).begin(), result.row(chosen).end());
  remember(result.hidden_row(chosen));
  const auto row = static_cast<std::int32_t>(chosen);
  cache_->commit(slot_, {&row, 1});
  tokens_.push_back(tried[chosen].token);
  round.verify_ns = clock.lap_ns();
  record_.rounds.push_back(round);
  return tried[chosen].token;
}

}  // namespace speclab::engines
