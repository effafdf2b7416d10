#include "analysis/tables/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>

#include "analysis/tables/empty_run_error.h"
#include "analysis/tables/read_axes.h"
#include "analysis/tables/read_rounds.h"
#include "analysis/tables/row_columns.h"
#include "analysis/tables/table.h"
#include "sim/rules/lossy_rule_options.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// The last two are missing in runs of older revisions.
constexpr std::array<std::string_view, 19> kPredictionColumns = {"cell_id",
                                                                 "category",
                                                                 "model",
                                                                 "drafter",
                                                                 "tree",
                                                                 "policy",
                                                                 "verifier",
                                                                 "temperature",
                                                                 "top_k",
                                                                 "top_p",
                                                                 "min_p",
                                                                 "repetition_penalty",
                                                                 "predicted_walltime_ns",
                                                                 "predicted_speedup",
                                                                 "predicted_tokens_per_round",
                                                                 "predicted_acceptance_rate",
                                                                 "paced_walltime_ns",
                                                                 "predicted_speedup_low",
                                                                 "predicted_speedup_high"};

constexpr std::array<std::string_view, 8> kFailureColumns = {
    "row_id", "cell_id", "prompt_id", "repetition", "category", "status", "message", "attempts"};
constexpr std::array<std::string_view, 6> kFailureStatuses = {
    "exception", "out_of_memory", "not_finite", "timeout", "device", "crash"};
constexpr std::array<std::string_view, 4> kStopReasons = {"length", "end_of_sequence",
                                                          "stop_string", "time"};

/// What the verifier says of the output law.
void check_rule(const Table& table, std::size_t row, const Generation& g) {
  const bool is_forced = g.axes.verifier == "replay",
             is_lossy = is_lossy_rule(g.axes.verifier) && g.axes.temperature > 0;
  if (g.forced_acceptance != is_forced)
    table.fail(row, "forced_acceptance", "is 1 for the verifier replay, and for no other");
  if (g.lossless == (is_forced || is_lossy))
    table.fail(
        row, "lossless",
        "the verifier '" + escaped(g.axes.verifier) + "' at this temperature gives another value");
  if (g.axes.is_plain() &&
      (g.drafting_rounds + g.drafted + g.accepted + g.tested + g.recovered != 0 ||
       g.rounds != g.output_tokens))
    table.fail(row, "drafted", "plain decoding drafts nothing and takes a round a token");
}

void check_repetition(const Table& table, std::size_t row, const Generation& g,
                      const Manifest& manifest) {
  const bool has_more = g.axes.is_plain() && manifest.plain_repetitions;
  const auto repetitions = has_more ? manifest.plain_repetitions : manifest.repetitions;
  if (repetitions && g.repetition >= *repetitions)
    table.fail(row, "repetition",
               fmt::format("{}; allowed: 0 to {}, by experiment.{} of manifest.toml", g.repetition,
                           *repetitions - 1, has_more ? "plain_repetitions" : "repetitions"));
}

/// What the columns of a row owe each other.
void check_generation(const Table& table, std::size_t row, const Generation& g,
                      const Manifest& manifest) {
  check_rule(table, row, g);
  check_repetition(table, row, g, manifest);
  if (g.law_distance.has_value() != (!g.lossless && !g.forced_acceptance))
    table.fail(row, "law_distance",
               "a number where lossless is 0 and forced_acceptance too, and only there");
  if (g.accepted > g.tested || g.tested > g.drafted)
    table.fail(row, "tested", "must hold: accepted <= tested <= drafted");
  if (g.drafting_rounds > g.rounds) table.fail(row, "drafting_rounds", "more than rounds");
  if (g.recovered + g.bonus != g.rounds)
    table.fail(row, "recovered", "recovered and bonus tokens are not one a round");
  if (g.category == "all") table.fail(row, "category", "'all' is the name of pooled categories");
  if (std::ranges::count(kStopReasons, g.stop_reason) == 0)
    table.fail(
        row, "stop_reason",
        fmt::format("'{}'; allowed: {}", escaped(g.stop_reason), fmt::join(kStopReasons, ", ")));
  if (g.output_hash.size() != 16 ||
      g.output_hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    table.fail(row, "output_hash",
               "'" + escaped(g.output_hash) + "'; allowed: sixteen hexadecimal digits");
  if (const std::string seed = table.text(row, "seed"); seed != std::to_string(manifest.seed))
    table.fail(row, "seed",
               fmt::format("'{}', manifest.toml has {}: rows of another run", escaped(seed),
                           manifest.seed));
}

Generation read_generation(const Table& table, std::size_t row, const Manifest& manifest) {
  Generation g;
  g.row_id = table.count(row, "row_id");
  g.cell_id = table.text(row, "cell_id");
  g.prompt_id = table.text(row, "prompt_id");
  g.category = table.text(row, "category");
  g.repetition = table.count(row, "repetition");
  g.axes = read_axes(table, row);
  g.prompt_tokens = table.count(row, "prompt_tokens", 1);
  g.output_tokens = table.count(row, "output_tokens", 1);
  g.rounds = table.count(row, "rounds", 1);
  g.drafting_rounds = table.count(row, "drafting_rounds");
  g.drafted = table.count(row, "drafted");
  g.accepted = table.count(row, "accepted");
  g.tested = table.count(row, "tested");
  g.lossless = table.flag(row, "lossless");
  g.recovered = table.count(row, "recovered");
  g.bonus = table.count(row, "bonus");
  g.stop_reason = table.text(row, "stop_reason");
  g.output_hash = table.text(row, "output_hash");
  g.law_distance = table.optional_number_from(0, 1, row, "law_distance");
  g.forced_acceptance = table.flag(row, "forced_acceptance");
  check_generation(table, row, g, manifest);
  return g;
}

void read_rows(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kRowColumns);
  if (table.size() == 0) throw EmptyRunError(path + ": no rows; nothing was measured");
  std::set<std::tuple<std::string, std::string, std::int64_t>> known;
  std::map<std::string, std::size_t> first_of_cell;
  for (std::size_t row = 0; row < table.size(); ++row) {
    run.generations.push_back(read_generation(table, row, run.manifest));
    const Generation& g = run.generations.back();
    if (!run.generation_of_row.emplace(g.row_id, row).second)
      table.fail(row, "row_id", "occurs twice");
    if (!known.emplace(g.cell_id, g.prompt_id, g.repetition).second)
      table.fail(row, "repetition", "the cell has this repetition of the prompt twice");
    if (run.generations[first_of_cell.try_emplace(g.cell_id, row).first->second].axes != g.axes)
      table.fail(row, "cell_id", "an earlier row of the cell has other axes");
    run.manifest.target(g.axes.model);
  }
}

/// Every row is of a section that the manifest knows, and each section has the rows that stand
/// there.
void check_sections(const std::string& path, const Run& run) {
  std::int64_t in_sections = 0;
  for (const SectionProvenance& section : run.manifest.sections) {
    const auto rows = std::ranges::count(run.generations, section.number, &Generation::section);
    if (rows != section.generations)
      throw DataError(fmt::format("{}: {} rows of section {}, manifest.toml has {}", path, rows,
                                  section.number, section.generations));
    in_sections += rows;
  }
  if (!run.manifest.sections.empty() &&
      in_sections != static_cast<std::int64_t>(run.generations.size()))
    throw DataError(fmt::format(
        "{}: {} of {} rows are of sections that manifest.toml does not have, or has twice", path,
        static_cast<std::int64_t>(run.generations.size()) - in_sections, run.generations.size()));
}

void check_split(const Table& table, std::size_t row, const Generation& g) {
  std::int64_t left = g.decode_ns;
  for (const std::int64_t part : {g.draft_ns, g.target_ns, g.verify_ns, g.other_ns}) {
    if (part > left)
      table.fail(row, "decode_ns",
                 fmt::format("{}, less than draft_ns, target_ns, verify_ns and other_ns together",
                             g.decode_ns));
    left -= part;
  }
}

/// Counted bytes and metered energy; the source stands beside an energy and only there.
void read_reads(const Table& table, std::size_t row, Generation& g) {
  for (const char* column : {"target_bytes", "draft_bytes"})
    table.optional_number_from(0, 1e18, row, column);
  if (table.optional_number_from(0, 1e15, row, "energy_j").has_value() !=
      table.optional_text(row, "energy_source").has_value())
    table.fail(row, "energy_source", "an energy and its source stand together, or neither does");
  const auto target = table.optional_integer(row, "target_bytes");
  const auto draft = table.optional_integer(row, "draft_bytes");
  if (target && draft) g.read_bytes = *target + *draft;
  g.energy_j = table.optional_number(row, "energy_j");
}

void read_times(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  const bool has_sections = !run.manifest.sections.empty();
  const bool has_reads = std::ranges::count(table.columns(), kReadColumns.front()) > 0;
  table.expect_columns(TimeColumns{has_reads, has_sections}.names());
  if (table.size() != run.generations.size()) {
    throw DataError(path + ": " + std::to_string(table.size()) + " rows, rows.csv has " +
                    std::to_string(run.generations.size()));
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    Generation& g = generation_of(table, row, run);
    if (g.decode_ns > 0) table.fail(row, "row_id", "occurs twice");
    g.prefill_ns = table.count(row, "prefill_ns");
    g.time_to_first_token_ns = table.count(row, "time_to_first_token_ns");
    g.decode_ns = table.count(row, "decode_ns", 1);
    g.draft_ns = table.count(row, "draft_ns");
    g.target_ns = table.count(row, "target_ns");
    g.verify_ns = table.count(row, "verify_ns");
    g.other_ns = table.count(row, "other_ns");
    table.optional_number_from(0, 1e18, row, "peak_memory_bytes");
    check_split(table, row, g);
    if (has_reads) read_reads(table, row, g);
    if (has_sections) g.section = table.count(row, "section", 1);
  }
  check_sections(path, run);
}

/// A prediction of a cell that has rows has that cell's axes; cells of an interrupted run may have
/// none yet.
void check_cell(const Table& table, std::size_t row,
                const std::map<std::string, const CellAxes*>& cells) {
  const auto found = cells.find(table.text(row, "cell_id"));
  if (found != cells.end() && *found->second != read_axes(table, row))
    table.fail(row, "cell_id", "its rows in rows.csv have other axes");
}

std::optional<sim::Interval> read_speedup_interval(const Table& table, std::size_t row) {
  const auto low = table.optional_number_from(1e-9, 1e18, row, "predicted_speedup_low"),
             high = table.optional_number_from(1e-9, 1e18, row, "predicted_speedup_high");
  if (low.has_value() != high.has_value())
    table.fail(row, "predicted_speedup_high", "both ends, or none");
  if (!low) return std::nullopt;
  const double predicted = table.number(row, "predicted_speedup");
  if (*low > predicted || *high < predicted)
    table.fail(row, "predicted_speedup_low", "an interval around predicted_speedup");
  return sim::Interval{*low, *high};
}

void read_predictions(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  const bool has_intervals = std::ranges::count(table.columns(), kPredictionColumns.back()) > 0;
  table.expect_columns(std::span<const std::string_view>(kPredictionColumns)
                           .first(kPredictionColumns.size() - (has_intervals ? 0 : 2)));
  std::map<std::string, const CellAxes*> cells;
  for (const Generation& g : run.generations) cells.emplace(g.cell_id, &g.axes);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto positive = [&](const char* column) {
      return table.optional_number_from(1e-9, 1e18, row, column);
    };
    const Prediction prediction{
        .walltime_ns = positive("predicted_walltime_ns"),
        .speedup = positive("predicted_speedup"),
        .tokens_per_round = positive("predicted_tokens_per_round"),
        .acceptance_rate = table.optional_number_from(0, 1, row, "predicted_acceptance_rate"),
        .paced_walltime_ns = positive("paced_walltime_ns"),
        .speedup_interval = has_intervals ? read_speedup_interval(table, row) : std::nullopt};
    check_cell(table, row, cells);
    if (!run.predictions.emplace(table.text(row, "cell_id"), prediction).second)
      table.fail(row, "cell_id", "occurs twice");
  }
}

void read_failures(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  table.expect_columns(kFailureColumns);
  std::set<std::int64_t> known;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::int64_t id = table.count(row, "row_id");
    if (!known.insert(id).second) table.fail(row, "row_id", "occurs twice");
    if (id >= run.manifest.planned_generations.value_or(id + 1))
      table.fail(row, "row_id", "no generation of manifest.toml's planned_generations");
    if (const std::string status = table.text(row, "status");
        std::ranges::count(kFailureStatuses, status) == 0)
      table.fail(
          row, "status",
          fmt::format("'{}'; allowed: {}", escaped(status), fmt::join(kFailureStatuses, ", ")));
    if (run.generation_of_row.contains(id))
      table.fail(row, "row_id", "rows.csv has this generation, so it has not failed");
    ++run.failures[table.text(row, "cell_id")];
  }
}

void read_texts(const std::string& path, Run& run) {
  run.texts = read_text_samples(path);
  for (const TextSample& sample : run.texts)
    if (!run.generation_of_row.contains(sample.row_id))
      throw DataError(fmt::format("{}: row_id {} is not in rows.csv", path, sample.row_id));
}

/// What the device disturbed is in no number, as what failed.
void drop_disturbed(const std::string& path, Run& run) {
  const std::vector<DeviceRow> rows = read_device(path);
  for (const DeviceRow& row : rows)
    if (!run.generation_of_row.contains(row.row_id))
      throw DataError(fmt::format("{}: row_id {} is not in rows.csv", path, row.row_id));
  run.device = device_state(rows);
  if (run.device.dropped.empty()) return;
  const auto is_dropped = [&](const auto& of_row) {
    return run.device.dropped.contains(of_row.row_id);
  };
  std::erase_if(run.generations, is_dropped);
  std::erase_if(run.rounds, is_dropped);
  std::erase_if(run.texts, is_dropped);
  run.generation_of_row.clear();
  for (std::size_t i = 0; i < run.generations.size(); ++i)
    run.generation_of_row.emplace(run.generations[i].row_id, i);
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
  expect_measured(folder, "rows.csv");
  read_rows(folder + "/rows.csv", run);
  if (static_cast<std::int64_t>(run.generations.size()) >
      run.manifest.planned_generations.value_or(static_cast<std::int64_t>(run.generations.size())))
    throw DataError(
        folder +
        "/manifest.toml: provenance.planned_generations is less than the rows of rows.csv");
  read_times(folder + "/times.csv", run);
  read_rounds(folder + "/rounds.csv", run);
  if (const std::string path = folder + "/predictions.csv"; std::filesystem::exists(path))
    read_predictions(path, run);
  if (const std::string path = folder + "/failures.csv"; std::filesystem::exists(path))
    read_failures(path, run);
  if (const std::string path = folder + "/texts.jsonl"; std::filesystem::exists(path))
    read_texts(path, run);
  drop_disturbed(folder + "/device.csv", run);
  return run;
}

}  // namespace speclab::analysis
