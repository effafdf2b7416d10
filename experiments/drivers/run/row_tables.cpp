#include "experiments/drivers/run/row_tables.h"

#include <algorithm>

#include "analysis/tables/generation_tables.h"
#include "analysis/tables/rounds.h"
#include "analysis/tables/timeline.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/plan/plan_parts.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

/// Fills the fields of times.csv.
void add_times(const RowEntry& row, analysis::Generation& g) {
  g.prefill_ns = row.prefill_ns;
  g.time_to_first_token_ns = row.time_to_first_token_ns;
  g.decode_ns = row.decode_ns;
  g.draft_ns = total_of(row.rounds, &RoundRecord::draft_ns);
  g.target_ns = total_of(row.rounds, &RoundRecord::target_ns);
  g.verify_ns = total_of(row.rounds, &RoundRecord::verify_ns);
  g.other_ns = total_of(row.rounds, &RoundRecord::other_ns);
  g.peak_memory_bytes = row.peak_memory_bytes;
  if (row.read) {
    g.target_bytes = row.read->target;
    g.draft_bytes = row.read->draft;
  }
  if (row.energy) {
    g.energy_j = row.energy->joules;
    g.energy_source = row.energy->source;
  }
}

std::string json_line(const Json& json) { return json_text(json) + "\n"; }

}  // namespace

RowTables::RowTables(const Plan& plan, bool has_sections)
    : plan_(plan),
      groups_{has_sections ? std::vector{analysis::kReadGroup, analysis::kSectionGroup}
                           : std::vector{analysis::kReadGroup}},
      axes_(axis_columns(plan)),
      rows_(analysis::rows_table().writer(axes_)),
      rounds_(analysis::rounds_table().writer()),
      times_(analysis::times_table().writer(groups_)),
      timeline_(analysis::timeline_table().writer()),
      device_(analysis::device_table().writer()),
      bridges_(analysis::bridges_table().writer()) {}

void RowTables::add(const RowEntry& row) {
  const analysis::Generation generation = generation_of(row);
  analysis::rows_table().write(rows_, generation, axes_);
  analysis::times_table().write(times_, generation, groups_);
  if (generation.axes.has_rounds()) add_to_rounds(row);
  if (!row.pieces.empty()) {
    add_to_timeline(row);
    add_to_texts(row);
  }
  if (!row.drafts.empty()) add_to_drafts(row);
  if (row.device) analysis::device_table().write(device_, {row.row_id, *row.device});
  if (row.bridge) analysis::bridges_table().write(bridges_, {row.row_id, *row.bridge});
  has_device_ |= row.device.has_value();
  has_bridges_ |= row.bridge.has_value();
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

analysis::Generation RowTables::generation_of(const RowEntry& row) const {
  const Prompt& prompt = plan_.prompts[generation(row).prompt];
  const std::int64_t rounds = std::ssize(row.rounds),
                     bonus =
                         std::ranges::count(row.rounds, NextKind::bonus, &RoundRecord::next_kind),
                     drafting = rounds - std::ranges::count(row.rounds, 0, &RoundRecord::drafted);
  const bool is_forced = cell(row).is_replayed();
  analysis::Generation g{.row_id = row.row_id,
                         .cell_id = cell(row).id,
                         .prompt_id = prompt.id,
                         .category = prompt.category,
                         .repetition = generation(row).repetition,
                         .axes = cell(row).written(),
                         .seed = std::to_string(static_cast<std::int64_t>(plan_.config.seed)),
                         .sequence_id = plan_.sequence_id(generation(row)),
                         .prompt_tokens = row.prompt_tokens,
                         .output_tokens = row.output_tokens,
                         .rounds = rounds,
                         .drafting_rounds = drafting,
                         .drafted = total_of(row.rounds, &RoundRecord::drafted),
                         .accepted = total_of(row.rounds, &RoundRecord::accepted),
                         .tested = total_of(row.rounds, &RoundRecord::tested),
                         .recovered = rounds - bonus,
                         .bonus = bonus,
                         .stop_reason = to_string(row.stop_reason),
                         .output_hash = row.output_hash,
                         .lossless = !is_forced && !is_lossy(cell(row)),
                         .law_distance = row.law_distance,
                         .forced_acceptance = is_forced,
                         .section = row.section};
  add_times(row, g);
  return g;
}

void RowTables::add_to_rounds(const RowEntry& row) {
  for (const RoundRecord& r : row.rounds)
    analysis::rounds_table().write(rounds_, {.row_id = row.row_id,
                                             .round = r.round,
                                             .position = r.position,
                                             .rows = r.rows,
                                             .depth = r.depth,
                                             .accepted = r.accepted,
                                             .drafted = r.drafted,
                                             .tested = r.tested,
                                             .emitted = r.emitted,
                                             .next_kind = r.next_kind});
}

void RowTables::add_to_timeline(const RowEntry& row) {
  for (const RoundRecord& r : row.rounds)
    analysis::timeline_table().write(timeline_, {.row_id = row.row_id,
                                                 .round = r.round,
                                                 .drafted = r.drafted,
                                                 .accepted = r.accepted,
                                                 .emitted = r.emitted,
                                                 .draft_ns = r.draft_ns,
                                                 .target_ns = r.target_ns,
                                                 .verify_ns = r.verify_ns,
                                                 .other_ns = r.other_ns});
}

void RowTables::add_to_texts(const RowEntry& row) {
  Json pieces = Json::array();
  for (const analysis::TextPiece& piece : row.pieces)
    pieces.push_back({{"text", piece.text}, {"fate", to_string(piece.fate)}});
  texts_ += json_line({{"row_id", row.row_id},
                       {"prompt", plan_.prompts[generation(row).prompt].text},
                       {"pieces", pieces}});
}

void RowTables::add_to_drafts(const RowEntry& row) {
  Json rounds = Json::array();
  for (const analysis::DraftedRound& round : row.drafts) rounds.push_back(analysis::to_json(round));
  drafts_ += json_line({{"row_id", row.row_id}, {"rounds", rounds}});
}

analysis::DeviceState device_state_of(const RunLog& log) {
  std::vector<analysis::DeviceRow> rows;
  log.for_each_row([&](const RowEntry& row) {
    if (row.device) rows.push_back({row.row_id, *row.device});
  });
  return analysis::device_state(rows);
}

}  // namespace speclab::experiments
