#include "experiments/drivers/generate/result_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engines/interface/sampling_rows.h"

namespace speclab::experiments {
namespace {

/// Kind and weight of each.
nlohmann::ordered_json parts_json(const engines::DrafterOptions& drafter) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const engines::DrafterOptions& part : drafter.parts)
    parts.push_back({{"drafter", part.kind}, {"weight", part.weight}});
  return parts;
}

nlohmann::ordered_json rounds_json(const GenerationRecord& record) {
  nlohmann::ordered_json rounds = nlohmann::ordered_json::array();
  for (const RoundRecord& round : record.rounds)
    rounds.push_back({{"drafted", round.drafted},
                      {"accepted", round.accepted},
                      {"emitted", round.emitted},
                      {"rows", round.rows},
                      {"target_seconds", seconds(round.target_ns)}});
  return rounds;
}

/// The energy is null if no meter tells it.
void add_costs(nlohmann::ordered_json& object, const GenerationRecord& record) {
  const auto joules = joules_per_token(record);
  object["target_bytes"] = record.read.target;
  object["draft_bytes"] = record.read.draft;
  object["bytes_per_token"] = bytes_per_token(record);
  object["energy_j"] = record.energy ? nlohmann::ordered_json(record.energy->joules) : nullptr;
  object["energy_per_token_j"] = joules ? nlohmann::ordered_json(*joules) : nullptr;
  object["energy_source"] = record.energy ? nlohmann::ordered_json(record.energy->source) : nullptr;
}

/// In the target's tokens.
std::int64_t num_drafted(const GenerationRecord& record) {
  std::int64_t drafted = 0;
  for (const RoundRecord& round : record.rounds) drafted += round.drafted;
  return drafted;
}

}  // namespace

nlohmann::ordered_json settings_json(const GenerateOptions& options,
                                     const engines::ModelInfo& model) {
  const engines::SamplingOptions& sampling = options.decoder.sampling;
  nlohmann::ordered_json settings{{"model", options.common.model.model},
                                  {"model_name", model.name},
                                  {"model_sha256", model.sha256},
                                  {"dtype", model.dtype},
                                  {"device", model.device},
                                  {"kernels", model.kernels},
                                  {"rounds", options.common.model.rounds},
                                  {"drafter", options.decoder.drafter.kind},
                                  {"drafter_model", options.decoder.drafter.model},
                                  {"drafter_bridge", options.decoder.drafter.bridge},
                                  {"drafter_parts", parts_json(options.decoder.drafter)},
                                  {"tree", options.decoder.drafter.tree},
                                  {"policy", options.policy},
                                  {"verifier", options.decoder.verifier},
                                  {"lossless", engines::is_lossless(options.decoder)},
                                  {"temperature", sampling.temperature},
                                  {"seed", options.common.seed},
                                  {"max_new_tokens", options.decoder.stop.max_new_tokens},
                                  {"ignore_eos", options.decoder.stop.ignore_eos},
                                  {"stop", options.decoder.stop.stop_strings},
                                  {"threads", options.common.model.threads}};
  engines::visit_sampling(sampling,
                          [&](const char* name, const auto& value) { settings[name] = value; });
  return settings;
}

nlohmann::ordered_json outcome_json(const GenerateOptions& options, const engines::ModelInfo& model,
                                    const engines::Request& request, const Outcome& outcome) {
  const GenerationRecord& r = outcome.record;
  nlohmann::ordered_json object{
      {"prompt_ids", request.prompt_ids},
      {"output_ids", r.output_ids},
      {"text", outcome.text},
      {"stop_reason", to_string(r.stop_reason)},
      {"rounds", rounds_json(r)},
      {"prefill_seconds", seconds(r.prefill_ns)},
      {"decode_seconds", seconds(r.decode_ns)},
      {"time_to_first_token_seconds", seconds(r.time_to_first_token_ns)},
      {"tokens_per_second", static_cast<double>(r.output_ids.size()) / seconds(r.decode_ns)},
      {"tokens_per_round", tokens_per_round(r)}};
  add_costs(object, r);
  object["bridge"] = bridge_json(r);
  object["settings"] = settings_json(options, model);
  return object;
}

nlohmann::ordered_json token_json(const GenerationRecord& record, std::size_t index,
                                  const std::string* text) {
  return {{"index", index},
          {"id", record.output_ids[index]},
          {"text", text ? nlohmann::ordered_json(*text) : nullptr},
          {"log_probability", record.log_probabilities[index]},
          {"fate", to_string(record.fates[index])},
          {"round", record.rounds.back().round}};
}

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json bridge_json(const GenerationRecord& record) {
  if (!record.bridge) return nullptr;
  const BridgeUse& use = *record.bridge;
  return {{"kind", use.bridge},
          {"draft_tokens", use.draft_tokens},
          {"target_tokens", num_drafted(record)},
          {"spelling_seconds", static_cast<double>(use.spelling_ns) * 1e-9},
          {"shared_vocabulary", use.overlap.shared},
          {"draft_vocabulary", use.overlap.draft},
          {"target_vocabulary", use.overlap.target},
          {"unshared_outputs", use.unshared_outputs}};
}

std::string bridge_note(const GenerationRecord& record) {
  if (!record.bridge) return "";
  const BridgeUse& use = *record.bridge;
  return fmt::format(
      "drafts crossed to the target's tokenizer by {}: {} tokens of the drafter became {} of the "
      "target; spelling took {:.1f} % of decoding; {} of the drafter's {} tokens are among the "
      "target's {}",
      use.bridge, use.draft_tokens, num_drafted(record),
      100.0 * static_cast<double>(use.spelling_ns) / static_cast<double>(record.decode_ns),
      use.overlap.shared, use.overlap.draft, use.overlap.target);
}

}  // namespace speclab::experiments
