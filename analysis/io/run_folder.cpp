#include "analysis/io/run_folder.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/io/table.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 30> kRowColumns = {
    "row_id", "cell_id", "repetition", "prompt_id", "category", "model", "drafter", "tree", "policy", "verifier",
    "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed", "sequence_id", "prompt_tokens", "output_tokens",
    "rounds", "drafting_rounds", "drafted", "accepted", "tested", "recovered", "bonus", "stop_reason", "output_hash",
    "lossless", "forced_acceptance"};
constexpr std::array<std::string_view, 9> kTimeColumns = {"row_id",    "prefill_ns", "time_to_first_token_ns", "decode_ns", "draft_ns",
                                                          "target_ns", "verify_ns",  "other_ns",               "peak_memory_bytes"};
constexpr std::array<std::string_view, 10> kRoundColumns = {"row_id", "round",    "position", "drafted", "rows",
                                                            "depth",  "accepted", "tested",   "emitted", "next_kind"};
constexpr std::array<std::string_view, 17> kPredictionColumns = {
    "cell_id", "category", "model", "drafter", "tree", "policy", "verifier", "temperature", "top_k", "top_p", "min_p",
    "repetition_penalty", "predicted_walltime_ns", "predicted_speedup", "predicted_tokens_per_round", "predicted_acceptance_rate", "paced_walltime_ns"};

std::int64_t count(const Table& table, std::size_t row, std::string_view column) {
  const std::int64_t value = table.integer(row, column);
  if (value < 0) table.fail(row, column, std::to_string(value) + "; allowed: integers >= 0");
  return value;
}

CellAxes read_axes(const Table& table, std::size_t row) {
  return {.model = table.text(row, "model"),
          .drafter = table.text(row, "drafter"),
          .tree = table.optional_text(row, "tree").value_or(""),
          .policy = table.optional_text(row, "policy").value_or(""),
          .verifier = table.optional_text(row, "verifier").value_or(""),
          .temperature = table.number(row, "temperature"),
          .top_k = table.integer(row, "top_k"),
          .top_p = table.number(row, "top_p"),
          .min_p = table.number(row, "min_p"),
          .repetition_penalty = table.number(row, "repetition_penalty")};
}

Generation read_generation(const Table& table, std::size_t row) {
  Generation g;
  g.row_id = count(table, row, "row_id");
  g.cell_id = table.text(row, "cell_id");
  g.prompt_id = table.text(row, "prompt_id");
  g.category = table.text(row, "category");
  g.repetition = count(table, row, "repetition");
  g.axes = read_axes(table, row);
  g.output_tokens = count(table, row, "output_tokens");
  g.rounds = count(table, row, "rounds");
  g.drafting_rounds = count(table, row, "drafting_rounds");
  g.drafted = count(table, row, "drafted");
  g.accepted = count(table, row, "accepted");
  g.tested = count(table, row, "tested");
  g.lossless = table.flag(row, "lossless");
  g.forced_acceptance = table.flag(row, "forced_acceptance");
  if (g.accepted > g.tested || g.tested > g.drafted) table.fail(row, "tested", "must hold: accepted <= tested <= drafted");
  if (g.drafting_rounds > g.rounds) table.fail(row, "drafting_rounds", "more than rounds");
  return g;
}

void read_rows(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kRowColumns);
  if (table.size() == 0) throw DataError(path + ": no rows; nothing was measured");
  for (std::size_t row = 0; row < table.size(); ++row) {
    run.generations.push_back(read_generation(table, row));
    if (!run.generation_of_row.emplace(run.generations.back().row_id, row).second) table.fail(row, "row_id", "occurs twice");
    run.manifest.target(run.generations.back().axes.model);
  }
}

Generation& generation_of(const Table& table, std::size_t row, Run& run) {
  const auto found = run.generation_of_row.find(table.integer(row, "row_id"));
  if (found == run.generation_of_row.end()) table.fail(row, "row_id", "not in rows.csv");
  return run.generations[found->second];
}

void read_times(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kTimeColumns);
  if (table.size() != run.generations.size()) {
    throw DataError(path + ": " + std::to_string(table.size()) + " rows, rows.csv has " + std::to_string(run.generations.size()));
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    Generation& g = generation_of(table, row, run);
    if (g.decode_ns > 0) table.fail(row, "row_id", "occurs twice");
    g.prefill_ns = count(table, row, "prefill_ns");
    g.decode_ns = count(table, row, "decode_ns");
    if (g.decode_ns == 0) table.fail(row, "decode_ns", "0; allowed: integers > 0");
    g.draft_ns = count(table, row, "draft_ns");
    g.target_ns = count(table, row, "target_ns");
    g.verify_ns = count(table, row, "verify_ns");
    g.other_ns = count(table, row, "other_ns");
  }
}

/// Rounds, checked against the totals of their generation.
void read_rounds(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kRoundColumns);
  std::map<std::int64_t, std::int64_t> accepted;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Generation& g = generation_of(table, row, run);
    run.rounds.push_back({.row_id = g.row_id, .depth = count(table, row, "depth"), .accepted = count(table, row, "accepted")});
    if (run.rounds.back().accepted > run.rounds.back().depth) table.fail(row, "accepted", "deeper than depth");
    accepted[g.row_id] += run.rounds.back().accepted;
  }
  for (const auto& [row_id, total] : accepted) {
    const std::int64_t expected = run.generations[run.generation_of_row.at(row_id)].accepted;
    if (total == expected) continue;
    throw DataError(path + ": row_id " + std::to_string(row_id) + ": its rounds accepted " + std::to_string(total) +
                    " tokens, rows.csv says " + std::to_string(expected));
  }
}

void read_predictions(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kPredictionColumns);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Prediction prediction{.walltime_ns = table.optional_number(row, "predicted_walltime_ns"),
                                .speedup = table.optional_number(row, "predicted_speedup"),
                                .tokens_per_round = table.optional_number(row, "predicted_tokens_per_round"),
                                .acceptance_rate = table.optional_number(row, "predicted_acceptance_rate"),
                                .paced_walltime_ns = table.optional_number(row, "paced_walltime_ns")};
    if (!run.predictions.emplace(table.text(row, "cell_id"), prediction).second) table.fail(row, "cell_id", "occurs twice");
  }
}

}  // namespace

CellAxes CellAxes::plain() const {
  CellAxes axes = *this;
  axes.drafter = "none";
  axes.tree = axes.policy = axes.verifier = "";
  return axes;
}

Run read_run(const std::string& folder) {
  Run run;
  run.folder = folder;
  run.manifest = read_manifest(folder + "/manifest.toml");
  read_rows(folder + "/rows.csv", run);
  read_times(folder + "/times.csv", run);
  read_rounds(folder + "/rounds.csv", run);
  if (const std::string path = folder + "/predictions.csv"; std::filesystem::exists(path)) read_predictions(path, run);
  if (const std::string path = folder + "/texts.jsonl"; std::filesystem::exists(path)) run.texts = read_text_samples(path);
  return run;
}

}  // namespace speclab::analysis
