#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "experiments/drivers/generate/text_work.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

using FoundText = SearchOutcome::FoundText;

/// None without a tokenizer.
std::optional<std::string> shown_text(const TextWork& work, const std::vector<Token>& ids) {
  if (!work.loaded.tokenizer) return std::nullopt;
  const engines::StopOptions& stop = work.call.plan.decoding.stop;
  TextStream stream(work.loaded.tokenizer.get(),
                    {.left_out = work.call.options.stream.left_out(),
                     .stop_strings = stop.stop_strings,
                     .ends = stop.eos_token_ids.value_or(std::vector<Token>{})});
  stream.push(ids);
  stream.finish();
  return stream.text();
}

/// Forced words of which no form stands in the text, prompt included.
auto missing_words(const TextWork& work, const std::vector<Token>& ids) {
  std::vector<Token> text = work.request.prompt_ids;
  text.insert(text.end(), ids.begin(), ids.end());
  const auto stands_there = [&text](const std::vector<Token>& form) {
    return !std::ranges::search(text, form).empty();
  };
  decltype(FoundText::missing_words) missing;
  if (const auto& search = work.call.plan.decoding.search)
    for (const auto& forms : search->force_words_ids)
      if (std::ranges::none_of(forms, stands_there)) missing.push_back(forms);
  return missing;
}

SearchOutcome outcome_of(const TextWork& work, engines::SearchRecord record) {
  SearchOutcome found;
  for (engines::FoundSequence& one : record.sequences) {
    auto text = shown_text(work, one.ids);
    auto missing = missing_words(work, one.ids);
    found.texts.push_back({std::move(one), std::move(text), std::move(missing)});
  }
  record.sequences.clear();
  found.record = std::move(record);
  return found;
}

/// One text stands alone; several have their numbers and scores.
void print_texts(const std::vector<FoundText>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const engines::FoundSequence& sequence = texts[i].sequence;
    if (texts.size() > 1)
      fmt::print("[{}{}]\n", i + 1,
                 sequence.score ? fmt::format(", score {:.4f}", *sequence.score) : "");
    fmt::print("{}\n", texts[i].text.value_or(fmt::format("{}", fmt::join(sequence.ids, ","))));
  }
  std::fflush(stdout);
}

/// transformers 4.49 returns texts without a word too, if too few have all.
void print_missing_words(const std::vector<FoundText>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (const auto& missing = texts[i].missing_words; !missing.empty())
      fmt::print(stderr, "speclab: text {} lacks the forced words {}; too few beams came to all\n",
                 i + 1, nlohmann::json(missing).dump());
}

double per_round(const engines::SearchRecord& record, std::int32_t RoundRecord::* number) {
  return static_cast<double>(total_of(record.rounds, number)) /
         static_cast<double>(record.rounds.size());
}

/// Steps a forward, of beams that have drafts.
std::string steps_text(const GenerationPlan& plan, const engines::SearchRecord& record) {
  if (!plan.mode.drafted || !plan.mode.searches()) return "";
  return fmt::format(" and {:.2f} steps, with drafts by {}",
                     1.0 + per_round(record, &RoundRecord::accepted), plan.decoding.drafter.kind);
}

/// "2 end_of_sequence, 1 length"; without numbers if all texts ended alike.
std::string stop_reasons(const std::vector<SearchOutcome::FoundText>& texts) {
  std::map<std::string, int> counts;
  for (const SearchOutcome::FoundText& one : texts) ++counts[to_string(one.sequence.stop_reason)];
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : counts) reasons.push_back(fmt::format("{} {}", count, reason));
  return fmt::format("{}", fmt::join(reasons, ", "));
}

void print_search_summary(const GenerationPlan& plan, const engines::ModelInfo& model,
                          const SearchOutcome& found) {
  const engines::SearchRecord& record = found.record;
  fmt::print(stderr,
             "[{}] {} tokens in {} sequences ({}): {:.1f} tokens/s; {} forwards of {:.1f} rows{}; "
             "prefill {:.0f} ms; {} in {} on {}, kernels {}\n",
             plan.mode.name(), found.num_tokens(), found.texts.size(), stop_reasons(found.texts),
             static_cast<double>(found.num_tokens()) / seconds(record.decode_ns),
             record.rounds.size(), per_round(record, &RoundRecord::rows), steps_text(plan, record),
             seconds(record.prefill_ns) * 1e3, model.name, model.dtype, model.device,
             model.kernels);
}

/// Draws of text number `copy` of a prompt. The first has those of a call that asks for one text.
std::uint32_t sequence_of(const engines::Request& request, std::int32_t copy) {
  constexpr std::uint32_t kMostPrompts = 1u << 20;  // check_drawn_texts allows 2^11 copies
  return request.sequence_id + static_cast<std::uint32_t>(copy) * kMostPrompts;
}

constexpr std::int32_t kMostInBatch = 32;  ///< texts that are drawn side by side

/// Their rounds of one number are one forward.
void add_texts(engines::SearchRecord& record, const std::vector<GenerationRecord>& texts) {
  const std::size_t before = record.rounds.size();
  for (const GenerationRecord& text : texts) {
    record.sequences.push_back({.ids = text.output_ids, .stop_reason = text.stop_reason});
    record.prefill_ns += text.prefill_ns;
    record.decode_ns += text.decode_ns;
    record.rounds.resize(std::max(record.rounds.size(), before + text.rounds.size()));
    for (std::size_t i = 0; i < text.rounds.size(); ++i)
      record.rounds[before + i].rows += text.rounds[i].rows;
    record.read.target += text.read.target;
    record.read.draft += text.read.draft;
  }
}

/// Several texts, drawn side by side in batches.
engines::SearchRecord drawn_texts(const TextWork& work, const std::function<void()>& check) {
  const GenerationPlan& plan = work.call.plan;
  const auto decoder =
      work.engines.make_decoder(*work.loaded.model, work.loaded.tokenizer, plan.decoding);
  engines::SearchRecord record;
  for (std::int32_t first = 0; first < plan.num_return_sequences; first += kMostInBatch) {
    std::vector<engines::Request> requests;
    for (std::int32_t copy = first;
         copy < std::min(first + kMostInBatch, plan.num_return_sequences); ++copy)
      requests.push_back({sequence_of(work.request, copy), work.request.prompt_ids});
    check();
    decoder->begin(requests, *make_policy(plan.policy));
    do check();
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

nlohmann::ordered_json run_search(const TextWork& work) {
  const GenerationPlan& plan = work.call.plan;
  const EnergySpan energy(work.energy);
  Progress progress(Progress::style_of_standard_error());
  progress.begin_quiet_phase("generate", most_steps(plan));
  const auto check = [&] {  // comes about once a step
    work.check_interruption();
    progress.advance(1);
  };
  engines::SearchRecord record =
      plan.mode.searches() ? work.engines.search(*work.loaded.model, work.loaded.tokenizer,
                                                 plan.decoding, work.request, check)
                           : drawn_texts(work, check);
  progress.end_phase();
  SearchOutcome found = outcome_of(work, std::move(record));
  found.energy = energy.used();
  if (!work.call.options.common.json) {
    print_texts(found.texts);
    print_missing_words(found.texts);
    print_search_summary(plan, work.loaded.model->info(), found);
  }
  return search_json(work, found);
}

}  // namespace speclab::experiments
