#include "experiments/drivers/generate/run_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// A search that has ended.
struct FinishedSearch {
  const engines::SearchRecord& record;
  std::optional<EnergyUse> energy;  ///< empty if no meter told it
};

using nlohmann::ordered_json;

TextStreamOptions text_options(const GenerateOptions& options, const GenerationPlan& plan) {
  const engines::StopOptions& stop = plan.decoding.stop;
  return {.left_out = options.stream.left_out(),
          .stop_strings = stop.stop_strings,
          .ends = stop.eos_token_ids.value_or(std::vector<Token>{})};
}

/// The text of a sequence; null without a tokenizer.
ordered_json shown_json_text(const TextCall& call, const TextStreamOptions& options,
                             const engines::FoundSequence& sequence) {
  if (!call.loaded.tokenizer) return nullptr;
  TextStream stream(call.loaded.tokenizer.get(), options);
  stream.push(sequence.ids);
  stream.finish();
  return stream.text();
}

/// Forced words of which no form stands in the text, prompt included.
ordered_json missing_words(const TextCall& call, const GenerationPlan& plan,
                           const engines::FoundSequence& sequence) {
  std::vector<Token> text = call.request.prompt_ids;
  text.insert(text.end(), sequence.ids.begin(), sequence.ids.end());
  const auto stands_there = [&text](const std::vector<Token>& form) {
    return !std::ranges::search(text, form).empty();
  };
  ordered_json missing = ordered_json::array();
  for (const auto& forms : plan.decoding.force_words_ids)
    if (std::ranges::none_of(forms, stands_there)) missing.push_back(forms);
  return missing;
}

ordered_json sequences_json(const TextCall& call, const GenerationPlan& plan,
                            const TextStreamOptions& options, const engines::SearchRecord& record) {
  ordered_json sequences = ordered_json::array();
  for (const engines::FoundSequence& one : record.sequences) {
    sequences.push_back({{"ids", one.ids},
                         {"text", shown_json_text(call, options, one)},
                         {"score", one.score ? ordered_json(*one.score) : nullptr},
                         {"stop_reason", to_string(one.stop_reason)}});
    if (!plan.decoding.force_words_ids.empty())
      sequences.back()["missing_words"] = missing_words(call, plan, one);
  }
  return sequences;
}

std::int64_t num_tokens(const engines::SearchRecord& record) {
  std::int64_t tokens = 0;
  for (const engines::FoundSequence& one : record.sequences) tokens += std::ssize(one.ids);
  return tokens;
}

/// One text stands alone; several have their numbers and scores.
void print_texts(const ordered_json& sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const ordered_json& one = sequences[i];
    if (sequences.size() > 1)
      fmt::print(
          "[{}{}]\n", i + 1,
          one["score"].is_null() ? "" : fmt::format(", score {:.4f}", one["score"].get<double>()));
    if (one["text"].is_null())
      fmt::print("{}\n", fmt::join(one["ids"].get<std::vector<Token>>(), ","));
    else
      fmt::print("{}\n", one["text"].get<std::string>());
  }
  std::fflush(stdout);
}

/// transformers 4.49 returns texts without a word too, if too few have all.
void print_missing_words(const ordered_json& sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const ordered_json missing = sequences[i].value("missing_words", ordered_json::array());
    if (!missing.empty())
      fmt::print(stderr, "speclab: text {} lacks the forced words {}; too few beams came to all\n",
                 i + 1, missing.dump());
  }
}

/// Steps a forward, of beams that have drafts.
std::string steps_text(const GenerationPlan& plan, const engines::SearchRecord& record) {
  if (!plan.mode.drafted || !plan.mode.searches()) return "";
  return fmt::format(
      " and {:.2f} steps, with drafts by {}",
      1.0 + static_cast<double>(record.num_accepted) / static_cast<double>(record.num_steps),
      plan.decoding.drafter.kind);
}

/// "2 end_of_sequence, 1 length"; without numbers if all texts ended alike.
std::string stop_reasons(const engines::SearchRecord& record) {
  std::map<std::string, int> counts;
  for (const engines::FoundSequence& one : record.sequences) ++counts[to_string(one.stop_reason)];
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : counts) reasons.push_back(fmt::format("{} {}", count, reason));
  return fmt::format("{}", fmt::join(reasons, ", "));
}

void print_search_summary(const TextCall& call, const GenerationPlan& plan,
                          const engines::SearchRecord& record) {
  const engines::ModelInfo& model = call.loaded.model->info();
  fmt::print(stderr,
             "[{}] {} tokens in {} sequences ({}): {:.1f} tokens/s; {} forwards of {:.1f} rows{}; "
             "prefill {:.0f} ms; {} in {} on {}, kernels {}\n",
             plan.mode.name, num_tokens(record), record.sequences.size(), stop_reasons(record),
             static_cast<double>(num_tokens(record)) / seconds(record.decode_ns), record.num_steps,
             static_cast<double>(record.num_rows) / static_cast<double>(record.num_steps),
             steps_text(plan, record), seconds(record.prefill_ns) * 1e3, model.name, model.dtype,
             model.device, model.kernels);
}

/// The object that `generate --json` prints of it.
ordered_json search_json(const TextCall& call, const GenerateOptions& options,
                         const GenerationPlan& plan, const FinishedSearch& search) {
  const engines::SearchRecord& record = search.record;
  const std::optional<EnergyUse>& energy = search.energy;
  const ordered_json sequences = sequences_json(call, plan, text_options(options, plan), record);
  const double tokens = static_cast<double>(num_tokens(record));
  ordered_json result{{"prompt_ids", call.request.prompt_ids},
                      {"output_ids", sequences.at(0)["ids"]},
                      {"text", sequences.at(0)["text"].is_null() ? "" : sequences.at(0)["text"]},
                      {"stop_reason", sequences.at(0)["stop_reason"]},
                      {"sequences", sequences},
                      {"mode", plan.mode.name},
                      {"steps", record.num_steps},
                      {"rows", record.num_rows},
                      {"drafted_steps", record.num_drafted},
                      {"accepted_steps", record.num_accepted},
                      {"rounds", ordered_json::array()},
                      {"prefill_seconds", seconds(record.prefill_ns)},
                      {"decode_seconds", seconds(record.decode_ns)},
                      {"time_to_first_token_seconds", nullptr},
                      {"tokens_per_second", tokens / seconds(record.decode_ns)},
                      {"tokens_per_round", nullptr},
                      {"target_bytes", record.read.target},
                      {"draft_bytes", record.read.draft},
                      {"bytes_per_token", static_cast<double>(record.read.total()) / tokens}};
  result["settings"] = settings_json(options, call.loaded.model->info());
  result["energy_j"] = energy ? ordered_json(energy->joules) : nullptr;
  result["energy_per_token_j"] = energy ? ordered_json(energy->joules / tokens) : nullptr;
  result["energy_source"] = energy ? ordered_json(energy->source) : nullptr;
  return result;
}

/// Prints the texts, and on standard error forced words that they lack and a summary.
/// @param sequences  as search_json has them
void print_search(const TextCall& call, const GenerationPlan& plan,
                  const engines::SearchRecord& record, const ordered_json& sequences) {
  print_texts(sequences);
  print_missing_words(sequences);
  print_search_summary(call, plan, record);
}

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
