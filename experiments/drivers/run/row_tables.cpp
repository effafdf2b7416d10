#include "experiments/drivers/run/row_tables.h"

#include <span>
#include <string_view>

#include "analysis/tables/row_columns.h"
#include "analysis/tables/timeline.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/run/run_tables.h"

namespace speclab::experiments {
namespace {

/// Sums over the rounds of a generation.
struct RoundTotals {
  std::int64_t drafting_rounds = 0, drafted = 0, accepted = 0, tested = 0, recovered = 0, bonus = 0;
  std::int64_t draft_ns = 0, target_ns = 0, verify_ns = 0, other_ns = 0;

  explicit RoundTotals(const std::vector<RoundRecord>& rounds) {
    for (const RoundRecord& round : rounds) {
      drafting_rounds += round.drafted > 0 ? 1 : 0;
      drafted += round.drafted;
      accepted += round.accepted;
      tested += round.tested;
      ++(round.next_kind == NextKind::bonus ? bonus : recovered);
      draft_ns += round.draft_ns;
      target_ns += round.target_ns;
      verify_ns += round.verify_ns;
      other_ns += round.other_ns;
    }
  }
};

/// Text that is no UTF-8 is replaced.
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

RowTables::RowTables(const Plan& plan, bool has_sections)
    : plan_(plan),
      has_sections_(has_sections),
      rows_(analysis::kRowColumns),
      rounds_(analysis::kRoundColumns),
      times_(analysis::TimeColumns{.has_sections = has_sections}.names()),
      timeline_(analysis::kTimelineColumns),
      device_(analysis::kDeviceColumns),
      bridges_(analysis::kBridgeColumns) {}

void RowTables::add(const RowEntry& row) {
  add_to_rows(row);
  add_to_times(row);
  if (!cell(row).is_plain()) add_to_rounds(row);
  if (!row.pieces.empty()) {
    add_to_timeline(row);
    add_to_texts(row);
  }
  if (!row.drafts.empty()) add_to_drafts(row);
  if (row.device) add_to_device(row);
  if (row.bridge) add_to_bridges(row);
}

std::vector<NamedFile> RowTables::files() && {
  std::vector<NamedFile> files;
  if (has_device_) files.emplace_back("device.csv", std::move(device_).content());
  if (has_bridges_) files.emplace_back("bridges.csv", std::move(bridges_).content());
  files.emplace_back("rows.csv", std::move(rows_).content());
  files.emplace_back("rounds.csv", std::move(rounds_).content());
  files.emplace_back("times.csv", std::move(times_).content());
  files.emplace_back("timeline.csv", std::move(timeline_).content());
  files.emplace_back("texts.jsonl", std::move(texts_));
  if (!drafts_.empty()) files.emplace_back("drafts.jsonl", std::move(drafts_));
  return files;
}

void RowTables::add_to_rows(const RowEntry& row) {
  const Prompt& prompt = plan_.prompts[generation(row).prompt];
  const RoundTotals totals(row.rounds);
  const std::int64_t forced = cell(row).verifier == "replay" ? 1 : 0;
  rows_.field(row.row_id)
      .field(cell(row).id)
      .field(std::int64_t{generation(row).repetition})
      .field(prompt.id)
      .field(prompt.category);
  add_axes(rows_, cell(row), plan_.config.sampling);
  rows_.field(static_cast<std::int64_t>(plan_.config.seed))
      .field(std::int64_t{plan_.sequence_id(generation(row))})
      .field(row.prompt_tokens)
      .field(row.output_tokens);
  rows_.field(static_cast<std::int64_t>(row.rounds.size()))
      .field(totals.drafting_rounds)
      .field(totals.drafted)
      .field(totals.accepted)
      .field(totals.tested);
  rows_.field(totals.recovered)
      .field(totals.bonus)
      .field(to_string(row.stop_reason))
      .field(row.output_hash);
  rows_.field(std::int64_t{forced == 0 && !is_lossy(cell(row))})
      .field(row.law_distance)
      .field(forced);
  rows_.end_row();
}

void RowTables::add_to_rounds(const RowEntry& row) {
  for (const RoundRecord& r : row.rounds) {
    rounds_.field(row.row_id);
    for (const std::int64_t value :
         {r.round, r.position, r.drafted, r.rows, r.depth, r.accepted, r.tested, r.emitted})
      rounds_.field(value);
    rounds_.field(to_string(r.next_kind)).end_row();
  }
}

void RowTables::add_to_times(const RowEntry& row) {
  const RoundTotals totals(row.rounds);
  for (const std::int64_t value :
       {row.row_id, row.prefill_ns, row.time_to_first_token_ns, row.decode_ns, totals.draft_ns,
        totals.target_ns, totals.verify_ns, totals.other_ns, row.peak_memory_bytes})
    times_.field(value);
  if (row.read)
    times_.field(row.read->target).field(row.read->draft);
  else
    times_.missing().missing();
  if (row.energy)
    times_.field(row.energy->joules).field(row.energy->source);
  else
    times_.missing().missing();
  if (has_sections_) times_.field(std::int64_t{row.section});
  times_.end_row();
}

void RowTables::add_to_timeline(const RowEntry& row) {
  for (const RoundRecord& r : row.rounds) {
    timeline_.field(row.row_id);
    for (const std::int64_t value : {r.round, r.drafted, r.accepted, r.emitted})
      timeline_.field(value);
    for (const std::int64_t ns : {r.draft_ns, r.target_ns, r.verify_ns, r.other_ns})
      timeline_.field(ns);
    timeline_.end_row();
  }
}

void RowTables::add_to_texts(const RowEntry& row) {
  Json pieces = Json::array();
  for (const auto& [text, fate] : row.pieces)
    pieces.push_back({{"text", text}, {"fate", to_string(fate)}});
  texts_ += json_line({{"row_id", row.row_id},
                       {"prompt", plan_.prompts[generation(row).prompt].text},
                       {"pieces", pieces}});
}

void RowTables::add_to_drafts(const RowEntry& row) {
  Json rounds = Json::array();
  for (const analysis::DraftedRound& round : row.drafts) rounds.push_back(analysis::to_json(round));
  drafts_ += json_line({{"row_id", row.row_id}, {"rounds", rounds}});
}

void RowTables::add_to_device(const RowEntry& row) {
  const DeviceSample& s = *row.device;
  device_.field(row.row_id)
      .field(s.sm_clock_mhz)
      .field(s.memory_clock_mhz)
      .field(s.temperature_c)
      .field(s.power_w)
      .field(s.slowdowns)
      .field(s.other_processes)
      .field(s.ecc_errors)
      .end_row();
  has_device_ = true;
}

void RowTables::add_to_bridges(const RowEntry& row) {
  analysis::add_bridge(bridges_, {row.row_id, *row.bridge});
  has_bridges_ = true;
}

analysis::DeviceState device_state_of(const RunLog& log) {
  std::vector<analysis::DeviceRow> rows;
  log.for_each_row([&](const RowEntry& row) {
    if (row.device) rows.push_back({row.row_id, *row.device});
  });
  return analysis::device_state(rows);
}

}  // namespace speclab::experiments
