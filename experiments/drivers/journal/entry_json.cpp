#include "experiments/drivers/journal/entry_json.h"

#include <fmt/format.h>

#include <charconv>

#include "experiments/drivers/journal/named_fields.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

constexpr std::string_view kNoKey = "-";
constexpr const char* kForm = "no entry; allowed: KIND SECTION KEY JSON";

/// The text up to the next blank, which is taken from it. @throws DataError if there is none, or
/// nothing before it
std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == 0 || end == std::string_view::npos) throw DataError(kForm);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

int section_number(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 1)
    throw DataError("'" + escaped(std::string(word)) +
                    "' is no number of a section; allowed: integers from 1");
  return number;
}

}  // namespace

template <>
constexpr auto kValues<StopReason> = std::array{StopReason::length, StopReason::end_of_sequence,
                                                StopReason::stop_string, StopReason::time};
template <>
constexpr auto kValues<NextKind> = std::array{NextKind::recovered, NextKind::bonus};
template <>
constexpr auto kValues<TokenFate> =
    std::array{TokenFate::plain, TokenFate::accepted, TokenFate::recovered, TokenFate::bonus};
template <>
constexpr auto kValues<FailureStatus> =
    std::array{FailureStatus::exception, FailureStatus::out_of_memory, FailureStatus::not_finite,
               FailureStatus::timeout,   FailureStatus::device,        FailureStatus::crash};
template <>
constexpr auto kValues<sim::CostKind> = std::array{sim::CostKind::target, sim::CostKind::draft,
                                                   sim::CostKind::overhead, sim::CostKind::prefill};
template <>
constexpr auto kValues<Regime> = std::array{Regime::greedy, Regime::sampled};

void name_fields(const auto& bind, Is<TrainingRecord> auto& training) {
  bind("tokens", training.tokens, "held_out_loss", training.held_out_loss, "held_out_agreement",
       training.held_out_agreement, "held_out_acceptance", training.held_out_acceptance);
}

void name_fields(const auto& bind, Is<ModelEntry> auto& model) {
  bind("name", model.name, "role", model.role, "sha256", model.sha256, "weights", model.weights,
       "parameters", model.parameters, "training", model.training, "config_sha256",
       MayLack{model.config_sha256}, "version", MayLack{model.version});
}

void name_fields(const auto& bind, Is<HeaderEntry> auto& header) {
  bind("started_at", header.started_at, "question", MayLack{header.question}, "provenance",
       header.provenance, "config", header.config, "models", header.models, "machine",
       header.machine, "plan", header.plan_digest);
}

/// Rounds are numbered by their order.
void name_fields(const auto& bind, Is<RoundRecord> auto& r) {
  bind("position", r.position, "drafted", r.drafted, "rows", r.rows, "depth", r.depth, "accepted",
       r.accepted, "tested", r.tested, "emitted", r.emitted, "next_kind", r.next_kind, "draft_ns",
       r.draft_ns, "target_ns", r.target_ns, "verify_ns", r.verify_ns, "other_ns", r.other_ns);
}

void name_fields(const auto& bind, Is<analysis::TextPiece> auto& piece) {
  bind("text", piece.text, "fate", piece.fate);
}

/// The form of drafts.jsonl.
template <>
Json json_of(const analysis::DraftedRound& round) {
  return analysis::to_json(round);
}
template <>
void read_value(const Json& json, analysis::DraftedRound& round) {
  round = analysis::drafted_round(json);
}

void name_fields(const auto& bind, Is<ReadBytes> auto& read) {
  bind("target", read.target, "draft", read.draft);
}

void name_fields(const auto& bind, Is<EnergyUse> auto& energy) {
  bind("joules", energy.joules, "source", energy.source);
}

void name_fields(const auto& bind, Is<BridgeUse> auto& use) {
  bind("bridge", use.bridge, "draft_tokens", use.draft_tokens, "spelling_ns", use.spelling_ns,
       "unshared_outputs", use.unshared_outputs, "shared_vocabulary", use.overlap.shared,
       "draft_vocabulary", use.overlap.draft, "target_vocabulary", use.overlap.target);
}

void name_fields(const auto& bind, Is<DeviceSample> auto& s) {
  bind("sm_clock_mhz", s.sm_clock_mhz, "memory_clock_mhz", s.memory_clock_mhz, "temperature_c",
       s.temperature_c, "power_w", s.power_w, "slowdowns", s.slowdowns, "other_processes",
       s.other_processes, "ecc_errors", s.ecc_errors);
}

void name_fields(const auto& bind, Is<RowEntry> auto& row) {
  bind("prompt_tokens", row.prompt_tokens, "output_tokens", row.output_tokens, "output_hash",
       row.output_hash, "stop_reason", row.stop_reason, "prefill_ns", row.prefill_ns,
       "time_to_first_token_ns", row.time_to_first_token_ns, "decode_ns", row.decode_ns,
       "peak_memory_bytes", row.peak_memory_bytes, "rounds", row.rounds, "pieces",
       MayLack{row.pieces}, "read_bytes", row.read, "energy", row.energy, "bridge", row.bridge,
       "law_distance", row.law_distance, "device", row.device, "drafts", MayLack{row.drafts});
}

void name_fields(const auto& bind, Is<FailureEntry> auto& failure) {
  bind("status", failure.status, "message", failure.message, "attempts", failure.attempts);
}

void name_fields(const auto& bind, Is<PilotEntry> auto& pilot) { bind("rounds", pilot.rounds); }

void name_fields(const auto& bind, Is<ForwardTime> auto& forward) {
  bind("rows", forward.rows, "ns", forward.ns);
}

void name_fields(const auto& bind, Is<PaceEntry> auto& pace) {
  bind("model", pace.model, "context", pace.context, "forwards", pace.forwards);
}

void name_fields(const auto& bind, Is<analysis::Interval> auto& interval) {
  bind("low", interval.low, "high", interval.high);
}

void name_fields(const auto& bind, Is<analysis::PassTime> auto& time) {
  bind("pass", time.pass, "ns", time.ns);
}

void name_fields(const auto& bind, Is<CostEntry> auto& cost) {
  auto& setting = cost.setting;
  bind("model", setting.model, "drafter", MayLack{setting.drafter}, "tree", MayLack{setting.tree},
       "verifier", MayLack{setting.verifier}, "regime", cost.regime, "kind", cost.kind, "rows",
       cost.rows, "context", cost.context, "ns", cost.ns.value, "interval", cost.ns.interval, "n",
       cost.ns.n, "passes", MayLack{cost.ns_of_pass}, "weights", MayLack{setting.weights},
       "activations", MayLack{setting.activations}, "batch", UsuallyOne{setting.batch},
       "generation", MayLack{setting.generation});
}

void name_fields(const auto& bind, Is<PredictionEntry> auto& prediction) {
  bind("walltime_ns", prediction.walltime_ns, "speedup", prediction.speedup, "tokens_per_round",
       prediction.tokens_per_round, "acceptance_rate", prediction.acceptance_rate,
       "speedup_interval", prediction.speedup_interval);
}

namespace {

/// The format that entries are written in. A header without one has format 1 (named_fields.h).
constexpr int kFormat = 2;

/// @throws DriftError if a later revision wrote the journal in a form of its own
void check_format(const Json& header) {
  const int format = header.value("format", 1);
  if (format <= kFormat) return;
  const Json::json_pointer revision("/provenance/revision");
  throw DriftError(fmt::format(
      "a journal of format {}, by revision {}; this program reads formats up to {}. Nothing was "
      "changed: go on with a program of that revision, or give another --output",
      format, header.contains(revision) ? header.at(revision).dump() : "unknown", kFormat));
}

std::vector<RoundRecord> numbered(std::vector<RoundRecord> rounds) {
  for (std::int32_t number = 0; RoundRecord & round : rounds) round.round = number++;
  return rounds;
}

}  // namespace

Json to_json(const HeaderEntry& entry) {
  Json json = {{"format", kFormat}};
  json.update(json_of(entry));
  return json;
}
Json to_json(const RowEntry& entry) { return json_of(entry); }
Json to_json(const FailureEntry& entry) { return json_of(entry); }
Json to_json(const PilotEntry& entry) { return json_of(entry); }
Json to_json(const PaceEntry& entry) { return json_of(entry); }
Json to_json(const CostEntry& entry) { return json_of(entry); }
Json to_json(const PredictionEntry& entry) { return json_of(entry); }

/// Earlier revisions noted an arithmetic, too, which changed nothing.
HeaderEntry header_entry(const Json& json) {
  check_format(json);
  auto entry = value_of<HeaderEntry>(json);
  std::erase_if(entry.provenance, [](const auto& noted) { return noted.first == "arithmetic"; });
  return entry;
}

RowEntry row_entry(const Json& json) {
  auto entry = value_of<RowEntry>(json);
  entry.rounds = numbered(std::move(entry.rounds));
  return entry;
}

PilotEntry pilot_entry(const Json& json) {
  return {.rounds = numbered(value_of<PilotEntry>(json).rounds)};
}

FailureEntry failure_entry(const Json& json) { return value_of<FailureEntry>(json); }
PaceEntry pace_entry(const Json& json) { return value_of<PaceEntry>(json); }
CostEntry cost_entry(const Json& json) { return value_of<CostEntry>(json); }
PredictionEntry prediction_entry(const Json& json) { return value_of<PredictionEntry>(json); }

EntryLine entry_line(std::string_view payload) {
  if (payload.starts_with('{'))
    throw DataError(std::string(kForm) +
                    ". The journal comes from an earlier revision: finish its run with that "
                    "revision, or give another --output");
  EntryLine line;
  line.kind = take_word(payload);
  line.section = section_number(take_word(payload));
  line.key = take_word(payload);
  if (line.key == kNoKey) line.key = {};
  line.json = payload;
  return line;
}

std::string entry_payload(const EntryLine& place, const Json& entry) {
  return fmt::format("{} {} {} {}", place.kind, place.section,
                     place.key.empty() ? kNoKey : place.key, json_text(entry));
}

Json entry_json(const EntryLine& line) {
  if (json_depth(line.json) > kMostJsonDepth)
    throw DataError(fmt::format("{} levels of lists and objects; allowed: at most {}",
                                json_depth(line.json), kMostJsonDepth));
  try {
    return Json::parse(line.json);
  } catch (const Json::exception& error) {
    throw DataError(error.what());
  }
}

}  // namespace speclab::experiments
