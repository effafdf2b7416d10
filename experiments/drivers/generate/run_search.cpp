#include "experiments/drivers/generate/run_search.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/drivers/generate/search_report.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

/// Draws of text number `copy` of a prompt. The first has those of a call that asks for one text.
std::uint32_t sequence_of(const engines::Request& request, std::int32_t copy) {
  constexpr std::uint32_t kMostPrompts = 1u << 20;
  return request.sequence_id + static_cast<std::uint32_t>(copy) * kMostPrompts;
}

constexpr std::int32_t kMostInBatch = 32;     ///< texts that are drawn side by side
constexpr std::int32_t kMostTexts = 1 << 11;  ///< of a prompt; sequence_of has no more

void add_texts(engines::SearchRecord& record, const std::vector<GenerationRecord>& texts) {
  std::int64_t steps = 0;
  for (const GenerationRecord& text : texts) {
    record.sequences.push_back({.ids = text.output_ids, .stop_reason = text.stop_reason});
    record.prefill_ns += text.prefill_ns;
    record.decode_ns += text.decode_ns;
    steps = std::max(steps, std::int64_t{std::ssize(text.rounds)});
    for (const RoundRecord& round : text.rounds) record.num_rows += round.rows;
    record.read.target += text.read.target;
    record.read.draft += text.read.draft;
  }
  record.num_steps += steps;
}

/// Several texts, drawn side by side in batches.
engines::SearchRecord drawn_texts(const TextCall& call, const GenerationPlan& plan) {
  const auto decoder =
      call.engines.make_decoder(*call.loaded.model, call.loaded.tokenizer, plan.decoding);
  engines::SearchRecord record;
  for (std::int32_t first = 0; first < plan.num_return_sequences; first += kMostInBatch) {
    std::vector<engines::Request> requests;
    for (std::int32_t copy = first;
         copy < std::min(first + kMostInBatch, plan.num_return_sequences); ++copy)
      requests.push_back({sequence_of(call.request, copy), call.request.prompt_ids});
    call.check_interruption();
    decoder->begin(requests, *make_policy(plan.policy));
    do call.check_interruption();
    while (decoder->round());
    add_texts(record, decoder->records());
  }
  return record;
}

/// Forwards behind the prompt, if no draft is kept and no text ends early.
std::int32_t most_steps(const GenerationPlan& plan) {
  if (plan.mode.searches()) return plan.decoding.stop.max_new_tokens;
  const std::int32_t batches = (plan.num_return_sequences + kMostInBatch - 1) / kMostInBatch;
  return batches * plan.decoding.stop.max_new_tokens;
}

}  // namespace

void check_drawn_texts(const GenerationPlan& plan) {
  if (plan.mode.searches() || plan.num_return_sequences == 1) return;
  if (plan.policy == "auto")
    throw ConfigError(
        "policy 'auto' with several sequences, whose costs are those of a batch; allowed: "
        "another policy, or num_return_sequences 1");
  if (plan.num_return_sequences > kMostTexts)
    throw ConfigError(fmt::format("num_return_sequences = {}; allowed: at most {}",
                                  plan.num_return_sequences, kMostTexts));
}

ordered_json run_search(const TextCall& call, const GenerateOptions& options,
                        const GenerationPlan& plan) {
  const EnergySpan energy(call.energy);
  Progress progress(Progress::style_of_standard_error());
  progress.begin_quiet_phase("generate", most_steps(plan));
  TextCall counted = call;  // checks come about once a step
  counted.check_interruption = [&] {
    call.check_interruption();
    progress.advance(1);
  };
  const engines::SearchRecord record =
      plan.mode.searches()
          ? call.engines.search(*call.loaded.model, call.loaded.tokenizer, plan.decoding,
                                call.request, counted.check_interruption)
          : drawn_texts(counted, plan);
  progress.end_phase();
  const ordered_json result = search_json(call, options, plan, {record, energy.used()});
  if (options.common.json) return result;
  print_search(call, plan, record, result["sequences"]);
  return result;
}

}  // namespace speclab::experiments
