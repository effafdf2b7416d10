#include "experiments/drivers/journal/entry_json.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The enumerator whose text it is.
template <typename Enum>
Enum named(const Json& json, std::initializer_list<Enum> all) {
  const auto text = json.get<std::string>();
  for (const Enum value : all)
    if (text == to_string(value)) return value;
  throw DataError("'" + escaped(text) + "' is no value of its field");
}

StopReason stop_reason(const Json& json) {
  return named(json, {StopReason::length, StopReason::end_of_sequence, StopReason::stop_string,
                      StopReason::time});
}
NextKind next_kind(const Json& json) { return named(json, {NextKind::recovered, NextKind::bonus}); }
TokenFate token_fate(const Json& json) {
  return named(json,
               {TokenFate::plain, TokenFate::accepted, TokenFate::recovered, TokenFate::bonus});
}

FailureStatus failure_status(const Json& json) {
  using enum FailureStatus;
  return named(json, {exception, out_of_memory, not_finite, timeout, device, crash});
}

sim::CostKind cost_kind(const Json& json) {
  using sim::CostKind;
  return named(json, {CostKind::target, CostKind::draft, CostKind::overhead, CostKind::prefill});
}

Json rounds_json(const std::vector<RoundRecord>& rounds) {
  Json list = Json::array();
  for (const RoundRecord& r : rounds)
    list.push_back({r.position, r.drafted, r.rows, r.depth, r.accepted, r.tested, r.emitted,
                    to_string(r.next_kind), r.draft_ns, r.target_ns, r.verify_ns, r.other_ns});
  return list;
}

std::vector<RoundRecord> rounds_of(const Json& list) {
  std::vector<RoundRecord> rounds;
  for (const Json& json : list) {
    const auto count = [&](std::size_t i) { return json.at(i).get<std::int32_t>(); };
    const auto ns = [&](std::size_t i) { return json.at(i).get<std::int64_t>(); };
    rounds.push_back({.round = static_cast<std::int32_t>(rounds.size()),
                      .position = count(0),
                      .drafted = count(1),
                      .rows = count(2),
                      .depth = count(3),
                      .accepted = count(4),
                      .tested = count(5),
                      .emitted = count(6),
                      .next_kind = next_kind(json.at(7)),
                      .draft_ns = ns(8),
                      .target_ns = ns(9),
                      .verify_ns = ns(10),
                      .other_ns = ns(11)});
  }
  return rounds;
}

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json device_json(const DeviceSample& s) {
  return {json_of(s.sm_clock_mhz), json_of(s.memory_clock_mhz), json_of(s.temperature_c),
          json_of(s.power_w),      json_of(s.slowdowns),        json_of(s.other_processes),
          json_of(s.ecc_errors)};
}

DeviceSample device_sample(const Json& json) {
  const auto integer = [&](std::size_t i) {
    return json.at(i).is_null() ? std::nullopt : std::optional(json.at(i).get<std::int64_t>());
  };
  return {.sm_clock_mhz = integer(0),
          .memory_clock_mhz = integer(1),
          .temperature_c = integer(2),
          .power_w = json.at(3).is_null() ? std::nullopt : std::optional(json.at(3).get<double>()),
          .slowdowns = integer(4),
          .other_processes = integer(5),
          .ecc_errors = integer(6)};
}

Json bridge_json(const BridgeUse& use) {
  return {use.bridge,         use.draft_tokens,  use.spelling_ns,   use.unshared_outputs,
          use.overlap.shared, use.overlap.draft, use.overlap.target};
}

BridgeUse bridge_use(const Json& json) {
  const auto count = [&](std::size_t i) { return json.at(i).get<std::int64_t>(); };
  return {.bridge = json.at(0).get<std::string>(),
          .draft_tokens = count(1),
          .spelling_ns = count(2),
          .overlap = {.shared = count(4), .draft = count(5), .target = count(6)},
          .unshared_outputs = count(3)};
}

Json training_json(const std::optional<TrainingRecord>& t) {
  return t ? Json({t->tokens, t->held_out_loss, t->held_out_agreement, t->held_out_acceptance})
           : Json(nullptr);
}

/// [name, role, sha256, weights, parameters, what is told of its training, config_sha256]; in
/// journals of earlier revisions the last one or two are missing.
Json model_json(const ModelEntry& model) {
  return {model.name,         model.role,       model.sha256,
          model.weights,      model.parameters, training_json(model.training),
          model.config_sha256};
}

ModelEntry model_entry(const Json& json) {
  ModelEntry model{json.at(0).get<std::string>(), json.at(1).get<std::string>(),
                   json.at(2).get<std::string>(), json.at(3).get<std::string>(),
                   json.at(4).get<std::int64_t>()};
  if (json.size() > 6) model.config_sha256 = json.at(6).get<std::string>();
  if (json.size() <= 5 || json.at(5).is_null()) return model;
  const Json& t = json.at(5);
  model.training = {t.at(0).get<std::int64_t>(), t.at(1).get<double>(), t.at(2).get<double>(),
                    t.at(3).get<double>()};
  return model;
}

}  // namespace

Json to_json(const HeaderEntry& entry) {
  Json models = Json::array();
  for (const ModelEntry& model : entry.models) models.push_back(model_json(model));
  return {{"started_at", entry.started_at},
          {"question", entry.question},
          {"provenance", entry.provenance},
          {"config", entry.config},
          {"models", models},
          {"machine", entry.machine},
          {"plan", entry.plan_digest}};
}

/// Earlier revisions noted an arithmetic, too, which changed nothing.
HeaderEntry header_entry(const Json& json) {
  HeaderEntry entry;
  entry.started_at = json.at("started_at").get<std::string>();
  entry.question = json.value("question", "");
  entry.provenance = json.at("provenance").get<Provenance>();
  std::erase_if(entry.provenance, [](const auto& noted) { return noted.first == "arithmetic"; });
  entry.config = json.at("config").get<std::string>();
  entry.machine = json.at("machine").get<std::vector<std::pair<std::string, double>>>();
  entry.plan_digest = json.at("plan").get<std::string>();
  for (const Json& model : json.at("models")) entry.models.push_back(model_entry(model));
  return entry;
}

Json to_json(const RowEntry& entry) {
  Json pieces = Json::array();
  for (const auto& [text, fate] : entry.pieces) pieces.push_back({text, to_string(fate)});
  Json json = {{"prompt_tokens", entry.prompt_tokens},
               {"output_tokens", entry.output_tokens},
               {"output_hash", entry.output_hash},
               {"stop_reason", to_string(entry.stop_reason)},
               {"prefill_ns", entry.prefill_ns},
               {"time_to_first_token_ns", entry.time_to_first_token_ns},
               {"decode_ns", entry.decode_ns},
               {"peak_memory_bytes", entry.peak_memory_bytes},
               {"rounds", rounds_json(entry.rounds)},
               {"pieces", pieces}};
  if (entry.read) json["read_bytes"] = {entry.read->target, entry.read->draft};
  if (entry.energy) json["energy"] = {entry.energy->joules, entry.energy->source};
  if (entry.bridge) json["bridge"] = bridge_json(*entry.bridge);
  if (entry.law_distance) json["law_distance"] = *entry.law_distance;
  if (entry.device) json["device"] = device_json(*entry.device);
  for (const analysis::DraftedRound& round : entry.drafts)
    json["drafts"].push_back(analysis::to_json(round));
  return json;
}

RowEntry row_entry(const Json& json) {
  const auto integer = [&](const char* key) { return json.at(key).get<std::int64_t>(); };
  RowEntry entry{.prompt_tokens = integer("prompt_tokens"),
                 .output_tokens = integer("output_tokens"),
                 .output_hash = json.at("output_hash").get<std::string>(),
                 .stop_reason = stop_reason(json.at("stop_reason")),
                 .prefill_ns = integer("prefill_ns"),
                 .time_to_first_token_ns = integer("time_to_first_token_ns"),
                 .decode_ns = integer("decode_ns"),
                 .peak_memory_bytes = integer("peak_memory_bytes"),
                 .law_distance = {},
                 .rounds = rounds_of(json.at("rounds")),
                 .pieces = {},
                 .drafts = {}};
  if (json.contains("read_bytes"))
    entry.read = {json.at("read_bytes").at(0).get<std::int64_t>(),
                  json.at("read_bytes").at(1).get<std::int64_t>()};
  if (json.contains("energy"))
    entry.energy = {json.at("energy").at(0).get<double>(),
                    json.at("energy").at(1).get<std::string>()};
  if (json.contains("device")) entry.device = device_sample(json.at("device"));
  if (json.contains("bridge")) entry.bridge = bridge_use(json.at("bridge"));
  if (json.contains("law_distance")) entry.law_distance = json.at("law_distance").get<double>();
  if (json.contains("drafts"))
    for (const Json& round : json.at("drafts"))
      entry.drafts.push_back(analysis::drafted_round(round));
  for (const Json& piece : json.at("pieces"))
    entry.pieces.emplace_back(piece.at(0).get<std::string>(), token_fate(piece.at(1)));
  return entry;
}

Json to_json(const FailureEntry& entry) {
  return {{"status", to_string(entry.status)},
          {"message", entry.message},
          {"attempts", entry.attempts}};
}

FailureEntry failure_entry(const Json& json) {
  return {.status = failure_status(json.at("status")),
          .message = json.at("message").get<std::string>(),
          .attempts = json.at("attempts").get<int>()};
}

Json to_json(const PilotEntry& entry) { return {{"rounds", rounds_json(entry.rounds)}}; }

PilotEntry pilot_entry(const Json& json) { return {.rounds = rounds_of(json.at("rounds"))}; }

Json to_json(const PaceEntry& entry) {
  return {{"model", entry.model}, {"context", entry.context}, {"forwards", entry.forwards}};
}

PaceEntry pace_entry(const Json& json) {
  return {.model = json.at("model").get<std::string>(),
          .context = json.at("context").get<int>(),
          .forwards = json.at("forwards").get<std::vector<std::pair<int, double>>>()};
}

Json to_json(const CostEntry& entry) {
  Json interval = Json::array();
  if (entry.ns.interval) interval = {entry.ns.interval->low, entry.ns.interval->high};
  Json json = {{"model", entry.setting.model},
               {"drafter", entry.setting.drafter},
               {"tree", entry.setting.tree},
               {"verifier", entry.setting.verifier},
               {"regime", entry.regime_text()},
               {"kind", to_string(entry.kind)},
               {"rows", entry.rows},
               {"context", entry.context},
               {"ns", entry.ns.value},
               {"interval", interval},
               {"n", entry.ns.n}};
  if (!entry.ns_of_pass.empty()) json["passes"] = entry.ns_of_pass;
  return json;
}

CostEntry cost_entry(const Json& json) {
  CostEntry entry{.setting = {.model = json.at("model").get<std::string>(),
                              .drafter = json.at("drafter").get<std::string>(),
                              .tree = json.at("tree").get<std::string>(),
                              .verifier = json.at("verifier").get<std::string>()},
                  .regime = {},
                  .kind = cost_kind(json.at("kind")),
                  .rows = json.at("rows").get<int>(),
                  .context = json.at("context").get<int>(),
                  .ns = {json.at("ns").get<double>(), {}, json.at("n").get<std::size_t>()}};
  if (const auto regime = json.at("regime").get<std::string>(); !regime.empty())
    entry.regime = named(regime, {Regime::greedy, Regime::sampled});
  if (const Json& interval = json.at("interval"); !interval.empty())
    entry.ns.interval = {interval.at(0).get<double>(), interval.at(1).get<double>()};
  if (json.contains("passes"))
    entry.ns_of_pass = json.at("passes").get<std::vector<std::pair<int, double>>>();
  return entry;
}

Json to_json(const PredictionEntry& entry) {
  Json json = {{"walltime_ns", entry.walltime_ns},
               {"speedup", entry.speedup},
               {"tokens_per_round", entry.tokens_per_round}};
  if (entry.acceptance_rate) json["acceptance_rate"] = *entry.acceptance_rate;
  if (entry.speedup_interval)
    json["speedup_interval"] = {entry.speedup_interval->low, entry.speedup_interval->high};
  return json;
}

PredictionEntry prediction_entry(const Json& json) {
  PredictionEntry entry{.walltime_ns = json.at("walltime_ns").get<double>(),
                        .speedup = json.at("speedup").get<double>(),
                        .tokens_per_round = json.at("tokens_per_round").get<double>()};
  if (json.contains("acceptance_rate"))
    entry.acceptance_rate = json.at("acceptance_rate").get<double>();
  if (json.contains("speedup_interval"))
    entry.speedup_interval = {json.at("speedup_interval").at(0).get<double>(),
                              json.at("speedup_interval").at(1).get<double>()};
  return entry;
}

}  // namespace speclab::experiments
