#include "experiments/drivers/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>

#include "analysis/io/csv_writer.h"
#include "analysis/io/file_digests.h"
#include "experiments/drivers/run/entry_json.h"
#include "experiments/drivers/run/manifest.h"
#include "experiments/drivers/run/run_tables.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

using analysis::CsvWriter;

constexpr std::array<std::string_view, 31> kRowColumns = {
    "row_id", "cell_id", "repetition", "prompt_id", "category", "model", "drafter", "tree", "policy", "verifier",
    "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed", "sequence_id", "prompt_tokens", "output_tokens",
    "rounds", "drafting_rounds", "drafted", "accepted", "tested", "recovered", "bonus", "stop_reason", "output_hash",
    "lossless", "law_distance", "forced_acceptance"};
constexpr std::array<std::string_view, 10> kRoundColumns = {"row_id", "round", "position", "drafted", "rows", "depth", "accepted", "tested", "emitted", "next_kind"};
constexpr std::array<std::string_view, 10> kTimeColumns = {"row_id", "prefill_ns", "time_to_first_token_ns", "decode_ns", "draft_ns", "target_ns", "verify_ns", "other_ns", "peak_memory_bytes", "section"};

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

void add_row(CsvWriter& csv, const Plan& plan, const RowEntry& row) {
  const PlannedGeneration& generation = plan.generations.at(static_cast<std::size_t>(row.row_id));
  const Cell& cell = plan.cells[generation.cell];
  const Prompt& prompt = plan.prompts[generation.prompt];
  const RoundTotals totals(row.rounds);
  const std::int64_t forced = cell.verifier == "replay" ? 1 : 0;
  csv.field(row.row_id).field(cell.id).field(std::int64_t{generation.repetition}).field(prompt.id).field(prompt.category);
  add_axes(csv, cell, plan.config.sampling);
  csv.field(static_cast<std::int64_t>(plan.config.seed)).field(std::int64_t{plan.sequence_id(generation)}).field(row.prompt_tokens).field(row.output_tokens);
  csv.field(static_cast<std::int64_t>(row.rounds.size())).field(totals.drafting_rounds).field(totals.drafted).field(totals.accepted).field(totals.tested);
  csv.field(totals.recovered).field(totals.bonus).field(to_string(row.stop_reason)).field(row.output_hash);
  csv.field(std::int64_t{forced == 0 && !is_lossy(cell)}).field(row.law_distance).field(forced);
  csv.end_row();
}

std::string rows_csv(const Plan& plan, const RunLog& log) {
  CsvWriter csv(kRowColumns);
  for (const auto& [id, row] : log.rows()) add_row(csv, plan, row);
  return csv.content();
}

std::string rounds_csv(const Plan& plan, const RunLog& log) {
  CsvWriter csv(kRoundColumns);
  for (const auto& [id, row] : log.rows()) {
    if (plan.cells[plan.generations.at(static_cast<std::size_t>(id)).cell].is_plain()) continue;
    for (const RoundRecord& r : row.rounds) {
      csv.field(id);
      for (const std::int64_t value : {r.round, r.position, r.drafted, r.rows, r.depth, r.accepted, r.tested, r.emitted}) csv.field(value);
      csv.field(to_string(r.next_kind)).end_row();
    }
  }
  return csv.content();
}

/// The last column is there where there is more than one section.
std::string times_csv(const RunLog& log) {
  const bool has_sections = sections_in_tables(log).size() > 1;
  CsvWriter csv(std::span<const std::string_view>(kTimeColumns).first(kTimeColumns.size() - (has_sections ? 0 : 1)));
  for (const auto& [id, row] : log.rows()) {
    const RoundTotals totals(row.rounds);
    for (const std::int64_t value : {id, row.prefill_ns, row.time_to_first_token_ns, row.decode_ns, totals.draft_ns, totals.target_ns, totals.verify_ns,
                                     totals.other_ns, row.peak_memory_bytes})
      csv.field(value);
    if (has_sections) csv.field(std::int64_t{row.section});
    csv.end_row();
  }
  return csv.content();
}

std::string texts_jsonl(const Plan& plan, const RunLog& log) {
  std::string lines;
  for (const auto& [id, row] : log.rows()) {
    if (row.pieces.empty()) continue;
    Json pieces = Json::array();
    for (const auto& [text, fate] : row.pieces) pieces.push_back({{"text", text}, {"fate", to_string(fate)}});
    const Prompt& prompt = plan.prompts[plan.generations.at(static_cast<std::size_t>(id)).prompt];
    const Json line = {{"row_id", id}, {"prompt", prompt.text}, {"pieces", pieces}};
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

std::string drafts_jsonl(const RunLog& log) {
  std::string lines;
  for (const auto& [id, row] : log.rows()) {
    if (row.drafts.empty()) continue;
    Json rounds = Json::array();
    for (const analysis::DraftedRound& round : row.drafts) rounds.push_back(analysis::to_json(round));
    lines += Json{{"row_id", id}, {"rounds", rounds}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

bool has_drafts(const RunLog& log) {
  return std::ranges::any_of(log.rows(), [](const auto& row) { return !row.second.drafts.empty(); });
}

/// A file that a log makes, where it has what the file holds.
struct RunFile {
  const char* name;
  bool (*is_made)(const RunLog& log);
  std::string (*content)(const LoadedPlan& loaded, const RunLog& log);
};

bool has_rows(const RunLog& log) { return !log.rows().empty(); }

/// Every file but SHA256SUMS, in its order there.
constexpr RunFile kFiles[] = {
    {"manifest.toml", [](const RunLog&) { return true; }, [](const LoadedPlan& loaded, const RunLog& log) { return manifest_toml(loaded.plan, log); }},
    {"costs.csv", [](const RunLog& log) { return !log.costs().empty(); }, [](const LoadedPlan&, const RunLog& log) { return costs_csv(log); }},
    {"predictions.csv", [](const RunLog& log) { return !log.predictions().empty(); }, &predictions_csv},
    {"atlas.csv", [](const RunLog& log) { return !log.atlas().empty(); }, &atlas_csv},
    {"acceptance.csv", [](const RunLog& log) { return !log.acceptances().empty(); }, [](const LoadedPlan& loaded, const RunLog& log) { return acceptance_csv(loaded.plan, log); }},
    {"failures.csv", [](const RunLog& log) { return !log.failures().empty(); }, [](const LoadedPlan& loaded, const RunLog& log) { return failures_csv(loaded.plan, log); }},
    {"rows.csv", &has_rows, [](const LoadedPlan& loaded, const RunLog& log) { return rows_csv(loaded.plan, log); }},
    {"rounds.csv", &has_rows, [](const LoadedPlan& loaded, const RunLog& log) { return rounds_csv(loaded.plan, log); }},
    {"times.csv", &has_rows, [](const LoadedPlan&, const RunLog& log) { return times_csv(log); }},
    {"pace.csv", &has_rows, [](const LoadedPlan&, const RunLog& log) { return pace_csv(log); }},
    {"timeline.csv", &has_rows, [](const LoadedPlan&, const RunLog& log) { return timeline_csv(log); }},
    {"texts.jsonl", &has_rows, [](const LoadedPlan& loaded, const RunLog& log) { return texts_jsonl(loaded.plan, log); }},
    {"drafts.jsonl", &has_drafts, [](const LoadedPlan&, const RunLog& log) { return drafts_jsonl(log); }},
};

/// A file of an earlier attempt.
void take_away(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) std::filesystem::remove(path, error);
  if (error) throw WriteError(fmt::format("{}: cannot take away: {}; choose a folder you may write to", path, error.message()));
}

}  // namespace

std::vector<std::string> run_file_names() {
  std::vector<std::string> names{analysis::kDigestsFile};
  for (const RunFile& file : kFiles) names.emplace_back(file.name);
  return names;
}

void write_run_files(const LoadedPlan& loaded, const RunLog& log, const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> contents;
  for (const RunFile& file : kFiles)
    if (file.is_made(log)) contents.emplace_back(file.name, file.content(loaded, log));
  const std::string digests = folder + "/" + analysis::kDigestsFile;
  std::error_code none;
  std::filesystem::remove(digests, none);  // what does not hold while files change is not there
  for (const auto& [name, content] : contents) write_file(folder + "/" + name, content);
  for (const RunFile& file : kFiles)
    if (!file.is_made(log)) take_away(fmt::format("{}/{}", folder, file.name));
  write_file(digests, analysis::digest_lines(contents));
}

bool has_run_files(const Plan& plan, const RunLog& log, const std::string& folder) {
  const auto is_there = [&](const std::string& name) { return std::filesystem::exists(folder + "/" + name); };
  const bool are_there = std::ranges::all_of(kFiles, [&](const RunFile& file) { return !file.is_made(log) || is_there(file.name); });
  return are_there && is_there(analysis::kDigestsFile) && read_file(folder + "/manifest.toml") == manifest_toml(plan, log);
}

int num_greedy_differences(const Plan& plan, const RunLog& log) {
  std::map<std::tuple<std::string, std::size_t, std::int32_t>, std::string> plain_hash;
  const auto key = [&](const PlannedGeneration& g) { return std::tuple(plan.cells[g.cell].model, g.prompt, g.repetition); };
  const auto is_greedy = [&](std::int64_t id) { return plan.cells[plan.generations.at(static_cast<std::size_t>(id)).cell].temperature == 0; };
  for (const auto& [id, row] : log.rows())
    if (const auto& g = plan.generations.at(static_cast<std::size_t>(id)); is_greedy(id) && plan.cells[g.cell].is_plain()) plain_hash[key(g)] = row.output_hash;
  int differences = 0;
  for (const auto& [id, row] : log.rows()) {
    const PlannedGeneration& g = plan.generations.at(static_cast<std::size_t>(id));
    const auto found = plain_hash.find(key(g));
    if (is_greedy(id) && plan.cells[g.cell].verifier != "replay" && found != plain_hash.end() && found->second != row.output_hash) ++differences;
  }
  return differences;
}

}  // namespace speclab::experiments
