#include "experiments/drivers/levers/lever_prompts.h"

#include <algorithm>
#include <chrono>

#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/policies/constant_policy.h"

namespace speclab::experiments {
namespace {

const std::vector<std::string> kCopying{"code_editing", "extraction", "summarisation"};

std::vector<engines::Request> requests_of(const engines::Tokenizer& tokenizer,
                                          const PromptSelection& selection) {
  std::vector<engines::Request> requests;
  for (const Prompt& prompt : read_prompts(selection))
    requests.push_back({static_cast<std::uint32_t>(requests.size()),
                        chat_prompt_ids(tokenizer, prompt.text, "auto")});
  return requests;
}

/// `length` tokens that end `skipped` tokens before the prompt does, or its first ones.
std::vector<Token> part_of(const std::vector<Token>& ids, std::size_t length, std::size_t skipped) {
  const std::size_t count = std::min(length, ids.size());
  const std::size_t last = ids.size() - count, begin = last - std::min(last, skipped);
  return {ids.begin() + static_cast<std::ptrdiff_t>(begin),
          ids.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

}  // namespace

LeverPrompts read_lever_prompts(const engines::Tokenizer& tokenizer,
                                const LeverPromptSettings& settings) {
  LeverPrompts prompts{.alone = requests_of(tokenizer, {.set = "core",
                                                        .categories = kCopying,
                                                        .per_category = settings.per_category}),
                       .pilots = requests_of(
                           tokenizer, {.set = "pilot", .categories = kCopying, .per_category = 1})};
  const std::vector<engines::Request> all =
      requests_of(tokenizer, {.set = "core", .per_category = 0});
  const auto length = static_cast<std::size_t>(settings.batch_prompt_tokens);
  for (int number = 0; number < settings.num_batches; ++number) {
    std::vector<engines::Request> batch;
    for (int i = 0; i < settings.batch; ++i)
      batch.push_back({static_cast<std::uint32_t>(i),
                       part_of(all[static_cast<std::size_t>(i) % all.size()].prompt_ids, length,
                               static_cast<std::size_t>(number) * length)});
    prompts.batches.push_back(std::move(batch));
  }
  return prompts;
}

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
