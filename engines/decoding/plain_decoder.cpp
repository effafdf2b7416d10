#include "engines/decoding/plain_decoder.h"

#include "engines/models/clock.h"
#include "sim/core/law_sampling.h"
#include "sim/core/rng_stream.h"

namespace speclab::engines {

PlainDecoder::PlainDecoder(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                           const DecoderOptions& options)
    : DecoderBase(target, std::move(tokenizer), options), chance_(chance_of(options)) {}

void PlainDecoder::begin(const std::vector<Request>& requests, const SpeculationLengthPolicy&) {
  begin_sequences(requests, 1);
}

Token PlainDecoder::sample_next(const Sequence& sequence, std::span<const float> logits) {
  pipeline().law(logits, sequence.tokens, law_);
  const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()),
                     sequence.round};
  return sample(law_, target_key(key, 0), *chance_, scratch_);
}

bool PlainDecoder::round() {
  LapClock clock;
  rows_.clear();
  for (const Sequence& s : sequences())
    if (!s.finished)
      rows_.push_back(
          {s.tokens.back(), static_cast<std::int32_t>(s.tokens.size()) - 1, s.cache_slot});
  if (rows_.empty()) return false;
  const auto share = static_cast<std::int64_t>(rows_.size());
  RoundRecord shared{.rows = 1, .emitted = 1};
  shared.other_ns = clock.lap_ns() / share;
  const std::int64_t read_before = counted_target().bytes_read();
  const ForwardResult result = counted_target().forward(rows_, cache());
  shared.target_ns = clock.lap_ns() / share;
  const ReadBytes read{(counted_target().bytes_read() - read_before) / share};
  std::int32_t row = 0;
  for (Sequence& s : sequences()) {
    if (s.finished) continue;
    RoundRecord record = shared;
    const Token next = sample_next(s, result.row(static_cast<std::size_t>(row)));
    cache().commit(s.cache_slot, {&row, 1});
    record.verify_ns = clock.lap_ns();
    record.round = static_cast<std::int32_t>(s.round++);
    record.position = static_cast<std::int32_t>(s.tokens.size());
    const TokenFate fate = TokenFate::plain;
    emit(s, {&next, 1}, {&fate, 1});
    note_log_probabilities(s, {&next, 1}, result, {&row, 1});
    ++row;
    record.other_ns += clock.lap_ns();
    record_round(s, record, read);
  }
  return !all_finished();
}

}  // namespace speclab::engines
