#include "experiments/drivers/measure/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {

void check_generation(const GenerationRecord& record, const engines::StopOptions& stop,
                      const engines::Tokenizer& tokenizer) {
  const std::vector<Token>& ids = record.output_ids;
  const std::int64_t emitted = std::accumulate(
      record.rounds.begin(), record.rounds.end(), std::int64_t{0},
      [](std::int64_t sum, const RoundRecord& round) { return sum + round.emitted; });
  SPECLAB_EXPECT(
      emitted == static_cast<std::int64_t>(ids.size()),
      fmt::format("rounds that emitted {} tokens for an output of {}", emitted, ids.size()));
  check_ending(record, stop, tokenizer);
}

void check_ending(const GenerationRecord& record, const engines::StopOptions& stop,
                  const engines::Tokenizer& tokenizer) {
  const std::vector<Token>& ids = record.output_ids;
  SPECLAB_EXPECT(record.fates.size() == ids.size(), "a fate for every token of the output");
  if (stop.ignore_eos) return;
  const auto end =
      std::ranges::find_if(ids, [&](Token token) { return tokenizer.is_end_of_sequence(token); });
  SPECLAB_EXPECT(end == ids.end() || end + 1 == ids.end(),
                 "nothing behind the end of the sequence");
}

void check_text(std::span<const Token> output_ids, const engines::Tokenizer& tokenizer) {
  const std::string text = tokenizer.decode(output_ids);
  const bool is_spelled_again =
      !tokenizer.gives_texts_back() || tokenizer.num_bytes_without_token(text) > 0 ||
      tokenizer.decode(tokenizer.encode(text, engines::SpecialText::parsed)) == text;
  SPECLAB_EXPECT(is_spelled_again, "an output whose text the tokenizer spells again");
  if (valid_utf8_prefix(text) != text.size()) return;  // streamed, what is no character is replaced
  const auto decoder = tokenizer.streaming_decoder();
  std::string streamed;
  for (const Token token : output_ids) streamed += decoder->push(token);
  SPECLAB_EXPECT(streamed + decoder->flush() == text, "a stream that is the text of the output");
}

}  // namespace speclab::experiments
