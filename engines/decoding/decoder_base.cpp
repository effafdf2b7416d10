#include "engines/decoding/decoder_base.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/models/clock.h"
#include "engines/models/commit_chain.h"
#include "engines/sampling/score_processors.h"
#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab::engines {

DecoderBase::DecoderBase(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                         const DecoderOptions& options)
    : target_(target),
      counted_target_(target),
      tokenizer_(std::move(tokenizer)),
      options_(options),
      pipeline_(options.sampling, target.info().name) {
  [[maybe_unused]] const StopRules are_possible(options_.stop, tokenizer_);
  if (changes_scores(options_.sampling))
    options_.sampling.check_tokens(static_cast<std::size_t>(target.info().vocab_size),
                                   target.info().name);
}

void DecoderBase::make_room(std::size_t num_sequences, std::int32_t capacity) {
  if (cache_ && cache_sequences_ >= num_sequences && cache_->capacity() >= capacity) return;
  cache_ = target_.make_cache(static_cast<std::int32_t>(num_sequences), capacity);
  cache_sequences_ = num_sequences;
}

void DecoderBase::begin_sequences(const std::vector<Request>& requests, std::int32_t spare_rows,
                                  PromptStates* states) {
  finish();
  if (states) states->assign(requests.size(), {});
  std::size_t longest = 0;
  for (const Request& request : requests) {
    check_request(request, target_.info(), options_.stop.max_new_tokens);
    SPECLAB_EXPECT(!options_.sampling.rules.looks_back() ||
                       static_cast<std::size_t>(options_.sampling.rules.prompt_length) ==
                           request.prompt_ids.size(),
                   "rules about lengths know the prompt's");
    longest = std::max(longest, request.prompt_ids.size());
  }
  make_room(requests.size(),
            static_cast<std::int32_t>(longest) + options_.stop.max_new_tokens + spare_rows);
  records_.assign(requests.size(), {});
  stop_rules_.clear();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    LapClock lap;
    Sequence sequence{requests[i].sequence_id,
                      static_cast<std::int32_t>(i),
                      cache_->begin(),
                      static_cast<std::int32_t>(requests[i].prompt_ids.size()),
                      0,
                      requests[i].prompt_ids,
                      false};
    sequence.tokens.reserve(sequence.tokens.size() +
                            static_cast<std::size_t>(options_.stop.max_new_tokens));
    prefill(sequence, states ? &(*states)[i] : nullptr);
    records_[i].prefill_ns = lap.lap_ns();
    sequences_.push_back(std::move(sequence));
    stop_rules_.emplace_back(options_.stop, tokenizer_);
    stop_rules_.back().begin();
  }
}

void DecoderBase::prefill(const Sequence& sequence, std::vector<float>* states) {
  HiddenSink sink;
  if (states)
    sink = [states](std::span<const float> hidden) {
      states->insert(states->end(), hidden.begin(), hidden.end());
    };
  commit_chain(target_, *cache_, sequence.cache_slot,
               std::span(sequence.tokens).first(sequence.tokens.size() - 1), sink);
}

void DecoderBase::finish() {
  for (const Sequence& sequence : sequences_) cache_->release(sequence.cache_slot);
  sequences_.clear();
}

std::int32_t DecoderBase::remaining(const Sequence& sequence) const {
  return options_.stop.max_new_tokens -
         (static_cast<std::int32_t>(sequence.tokens.size()) - sequence.prompt_length);
}

bool DecoderBase::all_finished() const {
  return std::all_of(sequences_.begin(), sequences_.end(),
                     [](const Sequence& s) { return s.finished; });
}

std::int32_t DecoderBase::emit(Sequence& sequence, std::span<const Token> tokens,
                               std::span<const TokenFate> fates) {
  GenerationRecord& record = records_[static_cast<std::size_t>(sequence.index)];
  StopRules& rules = stop_rules_[static_cast<std::size_t>(sequence.index)];
  std::int32_t kept = 0;
  while (!sequence.finished && static_cast<std::size_t>(kept) < tokens.size()) {
    const Token token = tokens[static_cast<std::size_t>(kept)];
    SPECLAB_EXPECT(token >= 0 && token < target_.info().vocab_size,
                   fmt::format("token {} was drawn outside the vocabulary of {}", token,
                               target_.info().vocab_size));
    sequence.tokens.push_back(token);
    record.output_ids.push_back(token);
    record.fates.push_back(fates[static_cast<std::size_t>(kept)]);
    sequence.finished = rules.ends_with(token, record.stop_reason);
    ++kept;
  }
  return kept;
}

void DecoderBase::record_bridge(const Sequence& sequence, std::optional<BridgeUse> use) {
  records_[static_cast<std::size_t>(sequence.index)].bridge = std::move(use);
}

void DecoderBase::note_log_probabilities(const Sequence& sequence, std::span<const Token> kept,
                                         const ForwardResult& result,
                                         std::span<const std::int32_t> rows) {
  if (!options_.log_probabilities) return;
  std::vector<double>& noted = records_[static_cast<std::size_t>(sequence.index)].log_probabilities;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::span<const float> logits = result.row(static_cast<std::size_t>(rows[i]));
    const float logit = logits[static_cast<std::size_t>(kept[i])];
    noted.push_back(static_cast<double>(logit) - log_sum_exp(logits));
  }
}

void DecoderBase::record_round(const Sequence& sequence, const RoundRecord& round,
                               const ReadBytes& read) {
  GenerationRecord& record = records_[static_cast<std::size_t>(sequence.index)];
  const std::int64_t round_ns = round.draft_ns + round.target_ns + round.verify_ns + round.other_ns;
  record.decode_ns += round_ns;
  if (record.rounds.empty()) record.time_to_first_token_ns = record.prefill_ns + round_ns;
  record.rounds.push_back(round);
  record.read.target += read.target;
  record.read.draft += read.draft;
}

void check_request(const Request& request, const ModelInfo& model, std::int32_t max_new_tokens) {
  if (request.prompt_ids.empty())
    throw ConfigError("the prompt is empty; allowed: at least one token");
  for (const Token token : request.prompt_ids)
    if (token < 0 || token >= model.vocab_size)
      throw ConfigError(fmt::format("prompt token {}; allowed: 0 to {} ({}'s vocabulary)", token,
                                    model.vocab_size - 1, model.name));
  const std::size_t needed = request.prompt_ids.size() + static_cast<std::size_t>(max_new_tokens);
  if (needed > static_cast<std::size_t>(model.context_length))
    throw ConfigError(fmt::format(
        "a prompt of {} tokens and max_new_tokens = {} need {} positions; {} has a "
        "context of {}; shorten the prompt or lower max_new_tokens",
        request.prompt_ids.size(), max_new_tokens, needed, model.name, model.context_length));
}

}  // namespace speclab::engines
