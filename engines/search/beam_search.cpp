#include "engines/search/beam_search.h"

#include <algorithm>

#include "engines/decoding/decoder_base.h"
#include "engines/models/clock.h"
#include "engines/models/commit_chain.h"
#include "engines/sampling/stop_rules.h"
#include "engines/search/search_checks.h"
#include "sim/system/errors.h"

namespace speclab::engines {

BeamSearch::BeamSearch(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                       const DecoderOptions& options, Chance& chance,
                       std::unique_ptr<Drafter> drafter)
    : target_(target),
      tokenizer_(std::move(tokenizer)),
      options_(options),
      chance_(chance),
      ends_(ends_of(options.stop, tokenizer_.get())),
      scorer_(options_, target.info().name, std::max<std::size_t>(2, 1 + ends_.size())),
      drafts_(std::move(drafter)) {
  check_search_options(options_, target.info(), tokenizer_.get());
}

SearchRecord BeamSearch::run(const Request& request, const std::function<void()>& check) {
  check_request(request, target_.info(), options_.stop.max_new_tokens);
  check_room_for_words(options_, request.prompt_ids);
  options_.sampling.rules.set_lengths(request.prompt_ids.size(), options_.stop.max_new_tokens);
  prompt_ = request.prompt_ids;
  lengths_.prompt = static_cast<std::int32_t>(prompt_.size());
  lengths_.longest = lengths_.prompt + options_.stop.max_new_tokens;
  record_ = {};
  num_steps_ = 0;
  LapClock clock;
  prefill();
  record_.prefill_ns = clock.lap_ns();
  groups_.clear();
  for (std::int32_t i = 0; i < options_.search->num_beam_groups; ++i) {
    groups_.emplace_back(options_, ends_, lengths_);
    groups_.back().begin(prompt_);
  }
  branches_.clear();
  drafts_.begin(request, static_cast<std::size_t>(options_.search->num_beams));
  begun_ns_ = now_ns();
  StopReason reason = StopReason::length;
  do check();
  while (!round(request, reason));
  for (BeamGroup& group : groups_) group.finish(reason);
  record_.decode_ns = clock.lap_ns();
  record_.read = {target_.bytes_read(), drafts_.bytes_read()};
  record_.sequences = best_sequences();
  if (record_.sequences.empty())
    throw ConfigError(
        "no text meets all rules of the search; loosen forced words or the constraint, which may "
        "contradict each other, or give more new tokens");
  return std::move(record_);
}

void BeamSearch::prefill() {
  const std::int64_t capacity = tokens_of_beams(options_, lengths_.prompt);
  require_memory_for_cache(target_.info(), capacity, options_.search->num_beams);
  cache_ = target_.make_cache(1, static_cast<std::int32_t>(capacity));
  slot_ = cache_->begin();
  cache_->keep(slot_, {});  // a cache without branches says so before the prompt is read
  commit_chain(target_, *cache_, slot_, std::span(prompt_).first(prompt_.size() - 1));
}

/// The first forward reads the prompt's last token, for all beams.
std::vector<ForwardRow> BeamSearch::rows_of_beams() {
  if (num_steps_ == 0) return {{prompt_.back(), lengths_.prompt - 1, slot_}};
  std::vector<ForwardRow> rows;
  for (BeamGroup& group : groups_) {
    if (group.is_done()) continue;
    for (Beam& beam : group.beams()) {
      const std::int32_t parent = ForwardRow::branch(branches_[static_cast<std::size_t>(beam.row)]);
      beam.row = static_cast<std::int32_t>(rows.size());
      rows.push_back(
          {beam.tokens.back(), static_cast<std::int32_t>(beam.tokens.size()) - 1, slot_, parent});
    }
  }
  return rows;
}

/// No chain can follow the first step, in which one text becomes all beams. A draft behind the last
/// step would be read in vain.
std::int32_t BeamSearch::add_drafts(std::vector<ForwardRow>& rows) {
  if (num_steps_ == 0) return 0;
  const std::int32_t levels =
      std::min(options_.search->draft_length, options_.stop.max_new_tokens - num_steps_ - 1);
  return drafts_.add_rows(groups_.front().beams(), levels, rows);
}

bool BeamSearch::round(const Request& request, StopReason& reason) {
  LapClock clock;
  RoundRecord round{.position = lengths_.prompt + num_steps_};
  std::vector<ForwardRow> rows = rows_of_beams();
  round.other_ns = clock.lap_ns();
  round.depth = add_drafts(rows);
  round.draft_ns = clock.lap_ns();
  const ForwardResult result = target_.forward(rows, *cache_);
  round.target_ns = clock.lap_ns();
  round.rows = static_cast<std::int32_t>(std::ssize(rows));
  branches_.assign(rows.size(), -1);
  bool is_last = false;
  for (;; ++round.accepted) {
    step_groups(result, request.sequence_id);
    ++num_steps_;
    is_last = is_over(reason);
    if (is_last || !drafts_.follow(groups_.front().beams())) break;
  }
  if (!is_last) keep_parents();
  record_round(round, clock.lap_ns());
  return is_last;
}

/// A step that ends the search behind a draft that stood as far was not refused.
void BeamSearch::record_round(RoundRecord round, std::int64_t step_ns) {
  round.round = static_cast<std::int32_t>(record_.rounds.size());
  round.drafted = round.depth;
  round.tested = std::min(round.accepted + 1, round.depth);
  round.emitted = round.accepted + 1;
  round.next_kind = round.accepted == round.depth ? NextKind::bonus : NextKind::recovered;
  round.verify_ns = step_ns;
  record_.rounds.push_back(round);
}

/// Groups choose one after the other; each avoids what those before have chosen.
void BeamSearch::step_groups(const ForwardResult& result, std::uint32_t sequence) {
  std::vector<Token> rivals;
  std::uint32_t first_draw = 0;
  for (BeamGroup& group : groups_) {
    if (group.is_done()) continue;
    group.step(scorer_, {result, rivals, chance_, sequence, first_draw});
    first_draw += static_cast<std::uint32_t>(result.logits.size());
    for (const Beam& beam : group.beams()) rivals.push_back(beam.tokens.back());
  }
}

/// Rows that a beam goes on from become branches, each once.
void BeamSearch::keep_parents() {
  std::vector<std::int32_t> kept;
  for (const BeamGroup& group : groups_) {
    if (group.is_done()) continue;
    for (const Beam& beam : group.beams()) {
      std::int32_t& branch = branches_[static_cast<std::size_t>(beam.row)];
      if (branch >= 0) continue;
      branch = static_cast<std::int32_t>(kept.size());
      kept.push_back(beam.row);
    }
  }
  cache_->keep(slot_, kept);
}

bool BeamSearch::is_over(StopReason& reason) const {
  if (std::ranges::all_of(groups_, &BeamGroup::is_done)) return true;
  if (num_steps_ == options_.stop.max_new_tokens) return true;
  if (have_stop_strings()) {
    reason = StopReason::stop_string;
    return true;
  }
  reason = StopReason::time;
  const double seconds = static_cast<double>(now_ns() - begun_ns_) * 1e-9;
  if (options_.stop.max_seconds > 0 && seconds >= options_.stop.max_seconds) return true;
  reason = StopReason::length;
  return false;
}

/// Whether every open beam has one.
bool BeamSearch::have_stop_strings() const {
  if (options_.stop.stop_strings.empty()) return false;
  for (const BeamGroup& group : groups_) {
    if (group.is_done()) continue;
    for (const Beam& beam : group.beams()) {
      const std::string text = tokenizer_->decode(std::span(beam.tokens).subspan(prompt_.size()));
      if (std::ranges::none_of(options_.stop.stop_strings, [&](const std::string& stop) {
            return text.find(stop) != std::string::npos;
          }))
        return false;
    }
  }
  return true;
}

std::vector<FoundSequence> BeamSearch::best_sequences() const {
  std::vector<FoundSequence> all;
  for (const BeamGroup& group : groups_)
    all.insert(all.end(), group.finished().sequences().begin(), group.finished().sequences().end());
  std::ranges::stable_sort(all, std::ranges::greater{}, &FoundSequence::score);
  all.resize(std::min(all.size(), static_cast<std::size_t>(options_.search->num_return_sequences)));
  return all;
}

}  // namespace speclab::engines
