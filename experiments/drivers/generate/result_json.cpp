#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/generate/text_work.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

/// Kind and weight of each.
ordered_json parts_json(const engines::DrafterOptions& drafter) {
  ordered_json parts = ordered_json::array();
  for (const engines::DrafterOptions& part : drafter.parts)
    parts.push_back({{"drafter", part.kind}, {"weight", part.weight}});
  return parts;
}

ordered_json rounds_json(const GenerationRecord& record) {
  ordered_json rounds = ordered_json::array();
  for (const RoundRecord& round : record.rounds)
    rounds.push_back({{"drafted", round.drafted},
                      {"accepted", round.accepted},
                      {"emitted", round.emitted},
                      {"rows", round.rows},
                      {"target_seconds", seconds(round.target_ns)}});
  return rounds;
}

/// Null where both models share a tokenizer.
ordered_json bridge_json(const GenerationRecord& record) {
  if (!record.bridge) return nullptr;
  const BridgeUse& use = *record.bridge;
  return {{"kind", use.bridge},
          {"draft_tokens", use.draft_tokens},
          {"target_tokens", total_of(record.rounds, &RoundRecord::drafted)},
          {"spelling_seconds", static_cast<double>(use.spelling_ns) * 1e-9},
          {"shared_vocabulary", use.overlap.shared},
          {"draft_vocabulary", use.overlap.draft},
          {"target_vocabulary", use.overlap.target},
          {"unshared_outputs", use.unshared_outputs}};
}

/// Times, bytes and energy of texts. The energy is null if no meter tells it.
void add_costs(ordered_json& object, const auto& record, std::int64_t num_tokens,
               const std::optional<EnergyUse>& energy) {
  const auto tokens = static_cast<double>(num_tokens);
  object["prefill_seconds"] = seconds(record.prefill_ns);
  object["decode_seconds"] = seconds(record.decode_ns);
  object["tokens_per_second"] = tokens / seconds(record.decode_ns);
  object["target_bytes"] = record.read.target;
  object["draft_bytes"] = record.read.draft;
  object["bytes_per_token"] = static_cast<double>(record.read.total()) / tokens;
  object["energy_j"] = energy ? ordered_json(energy->joules) : nullptr;
  object["energy_per_token_j"] = energy ? ordered_json(energy->joules / tokens) : nullptr;
  object["energy_source"] = energy ? ordered_json(energy->source) : nullptr;
}

/// The model, and the options of rounds.
ordered_json settings_json(const engines::ModelOptions& asked, const engines::ModelInfo& model,
                           const GenerationPlan& plan) {
  const engines::DecoderOptions& decoding = plan.decoding;
  ordered_json settings{{"model", asked.model},
                        {"model_name", model.name},
                        {"model_sha256", model.sha256},
                        {"dtype", model.dtype},
                        {"device", model.device},
                        {"kernels", model.kernels},
                        {"rounds", asked.rounds},
                        {"drafter", decoding.drafter.kind},
                        {"drafter_model", decoding.drafter.model},
                        {"drafter_bridge", decoding.drafter.bridge},
                        {"drafter_parts", parts_json(decoding.drafter)},
                        {"tree", decoding.drafter.tree},
                        {"policy", plan.policy},
                        {"verifier", decoding.verifier},
                        {"lossless", engines::is_lossless(decoding)},
                        {"temperature", decoding.sampling.temperature},
                        {"seed", decoding.seed},
                        {"max_new_tokens", decoding.stop.max_new_tokens},
                        {"ignore_eos", decoding.stop.ignore_eos},
                        {"stop", decoding.stop.stop_strings},
                        {"threads", asked.threads}};
  engines::visit_sampling(decoding.sampling,
                          [&](const char* name, const auto& value) { settings[name] = value; });
  return settings;
}

ordered_json sequences_json(const SearchOutcome& found, bool has_forced_words) {
  ordered_json sequences = ordered_json::array();
  for (const SearchOutcome::FoundText& one : found.texts) {
    const engines::FoundSequence& sequence = one.sequence;
    sequences.push_back({{"ids", sequence.ids},
                         {"text", one.text ? ordered_json(*one.text) : nullptr},
                         {"score", sequence.score ? ordered_json(*sequence.score) : nullptr},
                         {"stop_reason", to_string(sequence.stop_reason)}});
    if (has_forced_words) sequences.back()["missing_words"] = one.missing_words;
  }
  return sequences;
}

}  // namespace

std::int64_t SearchOutcome::num_tokens() const {
  std::int64_t tokens = 0;
  for (const FoundText& one : texts) tokens += std::ssize(one.sequence.ids);
  return tokens;
}

double tokens_per_round(const GenerationRecord& record) {
  return static_cast<double>(record.output_ids.size()) / static_cast<double>(record.rounds.size());
}

double bytes_per_token(const GenerationRecord& record) {
  return static_cast<double>(record.read.total()) / static_cast<double>(record.output_ids.size());
}

std::optional<double> joules_per_token(const GenerationRecord& record) {
  if (!record.energy) return std::nullopt;
  return record.energy->joules / static_cast<double>(record.output_ids.size());
}

ordered_json outcome_json(const TextWork& work, const GenerationPlan& plan,
                          const Outcome& outcome) {
  const GenerationRecord& record = outcome.record;
  ordered_json object{{"prompt_ids", work.request.prompt_ids},
                      {"output_ids", record.output_ids},
                      {"text", outcome.text},
                      {"stop_reason", to_string(record.stop_reason)},
                      {"rounds", rounds_json(record)},
                      {"time_to_first_token_seconds", seconds(record.time_to_first_token_ns)},
                      {"tokens_per_round", tokens_per_round(record)}};
  add_costs(object, record, std::ssize(record.output_ids), record.energy);
  object["bridge"] = bridge_json(record);
  object["settings"] =
      settings_json(work.call.options.common.model, work.loaded.model->info(), plan);
  return object;
}

ordered_json search_json(const TextWork& work, const SearchOutcome& found) {
  const GenerationPlan& plan = work.call.plan;
  const engines::SearchRecord& record = found.record;
  const SearchOutcome::FoundText& best = found.texts.at(0);
  const bool has_forced_words =
      plan.decoding.search && !plan.decoding.search->force_words_ids.empty();
  ordered_json object{{"prompt_ids", work.request.prompt_ids},
                      {"output_ids", best.sequence.ids},
                      {"text", best.text.value_or("")},
                      {"stop_reason", to_string(best.sequence.stop_reason)},
                      {"sequences", sequences_json(found, has_forced_words)},
                      {"mode", plan.mode.name()},
                      {"steps", record.rounds.size()},
                      {"rows", total_of(record.rounds, &RoundRecord::rows)},
                      {"drafted_steps", total_of(record.rounds, &RoundRecord::drafted)},
                      {"accepted_steps", total_of(record.rounds, &RoundRecord::accepted)},
                      {"rounds", ordered_json::array()},
                      {"time_to_first_token_seconds", nullptr},
                      {"tokens_per_round", nullptr}};
  add_costs(object, record, found.num_tokens(), found.energy);
  object["settings"] =
      settings_json(work.call.options.common.model, work.loaded.model->info(), plan);
  return object;
}

ordered_json token_json(const GenerationRecord& record, std::size_t index,
                        const std::string* text) {
  return {{"index", index},
          {"id", record.output_ids[index]},
          {"text", text ? ordered_json(*text) : nullptr},
          {"log_probability", record.log_probabilities[index]},
          {"fate", to_string(record.fates[index])},
          {"round", record.rounds.back().round}};
}

std::string bridge_note(const GenerationRecord& record) {
  if (!record.bridge) return "";
  const BridgeUse& use = *record.bridge;
  return fmt::format(
      "drafts crossed to the target's tokenizer by {}: {} tokens of the drafter became {} of the "
      "target; spelling took {:.1f} % of decoding; {} of the drafter's {} tokens are among the "
      "target's {}",
      use.bridge, use.draft_tokens, total_of(record.rounds, &RoundRecord::drafted),
      100.0 * static_cast<double>(use.spelling_ns) / static_cast<double>(record.decode_ns),
      use.overlap.shared, use.overlap.draft, use.overlap.target);
}

}  // namespace speclab::experiments
