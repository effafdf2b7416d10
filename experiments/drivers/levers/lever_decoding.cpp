#include "experiments/drivers/levers/lever_decoding.h"

#include <chrono>

#include "sim/policies/constant_policy.h"

namespace speclab::experiments {

LeverDecoding decode_batch(engines::Engines& engines, engines::LoadedModel& loaded,
                           const std::vector<engines::Request>& requests, int new_tokens,
                           int draft_length) {
  const auto decoder =
      engines.make_decoder(*loaded.model, loaded.tokenizer,
                           {.sampling = {.temperature = 0},
                            .stop = {.max_new_tokens = new_tokens, .ignore_eos = true},
                            .drafter = {.kind = draft_length == 0 ? "plain" : "prompt_lookup"},
                            .verifier = "greedy"});
  decoder->begin(requests, ConstantPolicy(draft_length));
  const auto start = std::chrono::steady_clock::now();
  while (decoder->round()) {
  }
  LeverDecoding decoded;
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const GenerationRecord& record : decoder->records()) {
    decoded.texts.push_back(record.output_ids);
    decoded.tokens += static_cast<std::int64_t>(record.output_ids.size());
    decoded.rounds += static_cast<std::int64_t>(record.rounds.size());
    for (const RoundRecord& round : record.rounds) decoded.rows.push_back(round.rows);
  }
  return decoded;
}

}  // namespace speclab::experiments
