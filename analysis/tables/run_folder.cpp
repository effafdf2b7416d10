#include "analysis/tables/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "analysis/tables/file_digests.h"
#include "analysis/tables/generation_tables.h"
#include "analysis/tables/rounds.h"
#include "sim/rules/lossy_rule_options.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Checks a row against its verifier's promise about the output law.
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
       (g.axes.generation.empty() && g.rounds != g.output_tokens)))
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

/// Checks the columns of a row against each other.
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
  if (g.output_hash.size() != 16 ||
      g.output_hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    table.fail(row, "output_hash",
               "'" + escaped(g.output_hash) + "'; allowed: sixteen hexadecimal digits");
  if (g.seed != std::to_string(manifest.seed))
    table.fail(row, "seed",
               fmt::format("'{}', manifest.toml has {}: rows of another run", escaped(g.seed),
                           manifest.seed));
}

/// Checks a row against those before it.
class EarlierGenerations {
 public:
  void check(const Table& table, std::size_t place, const Generation& g) {
    if (!ids_.insert(g.row_id).second) table.fail(place, "row_id", "occurs twice");
    if (!known_.emplace(g.cell_id, g.prompt_id, g.repetition).second)
      table.fail(place, "repetition", "the cell has this repetition of the prompt twice");
    cells_.check(table, place, g.cell_id, g.axes);
  }

 private:
  std::set<std::int64_t> ids_;
  std::set<std::tuple<std::string, std::string, std::int64_t>> known_;
  CellSettings cells_;
};

/// A batch has prompts that follow each other in its cell.
void name_batches(Run& run) {
  std::map<std::string, std::vector<std::string>> prompts_of_cell;
  for (Generation& g : run.generations) {
    if (g.axes.batch == 1) continue;
    std::vector<std::string>& prompts = prompts_of_cell[g.cell_id];
    auto place = std::ranges::find(prompts, g.prompt_id);
    if (place == prompts.end()) place = prompts.insert(place, g.prompt_id);
    const auto batch = static_cast<std::ptrdiff_t>(g.axes.batch);
    g.first_of_batch = prompts[static_cast<std::size_t>((place - prompts.begin()) / batch * batch)];
  }
}

void read_rows(const std::string& path, Run& run) {
  EarlierGenerations before;
  run.generations =
      rows_table().read(path, [&](const Table& table, std::size_t place, const Generation& g) {
        check_generation(table, place, g, run.manifest);
        before.check(table, place, g);
        run.manifest.target(g.axes.model);
      });
  if (run.generations.empty()) throw EmptyRunError(path + ": no rows; nothing was measured");
  name_batches(run);
  for (std::size_t i = 0; i < run.generations.size(); ++i)
    run.generation_of_row.emplace(run.generations[i].row_id, i);
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

/// Copies the fields of times.csv.
void add_times(const Generation& times, Generation& g) {
  g.prefill_ns = times.prefill_ns;
  g.time_to_first_token_ns = times.time_to_first_token_ns;
  g.decode_ns = times.decode_ns;
  g.draft_ns = times.draft_ns;
  g.target_ns = times.target_ns;
  g.verify_ns = times.verify_ns;
  g.other_ns = times.other_ns;
  g.peak_memory_bytes = times.peak_memory_bytes;
  g.target_bytes = times.target_bytes;
  g.draft_bytes = times.draft_bytes;
  g.energy_j = times.energy_j;
  g.energy_source = times.energy_source;
  g.section = times.section;
}

void read_times(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  ColumnGroups groups = times_table().groups_in(table);
  std::erase(groups.present, kSectionGroup);
  if (!run.manifest.sections.empty()) groups.present.push_back(kSectionGroup);
  if (table.size() != run.generations.size()) {
    throw DataError(path + ": " + std::to_string(table.size()) + " rows, rows.csv has " +
                    std::to_string(run.generations.size()));
  }
  times_table().read(table, groups,
                     [&run](const Table& times, std::size_t place, const Generation& row) {
                       Generation& g = generation_of(times, place, run);
                       if (g.decode_ns > 0) times.fail(place, "row_id", "occurs twice");
                       check_split(times, place, row);
                       if (row.energy_j.has_value() == row.energy_source.empty())
                         times.fail(place, "energy_source",
                                    "an energy and its source stand together, or neither does");
                       add_times(row, g);
                     });
  check_sections(path, run);
}

/// A prediction of a cell that has rows has that cell's axes; cells of an interrupted run may have
/// none yet.
void check_prediction(const Table& table, std::size_t place, const PredictionRow& row,
                      const std::map<std::string, const Setting*>& cells) {
  const auto found = cells.find(row.cell_id);
  if (found != cells.end() && *found->second != row.axes)
    table.fail(place, "cell_id", "its rows in rows.csv have other axes");
  const auto& [speedup, interval] =
      std::tie(row.prediction.speedup, row.prediction.speedup_interval);
  if (!interval) return;
  if (!speedup) table.fail(place, "predicted_speedup", "missing");
  if (interval->low > *speedup || interval->high < *speedup)
    table.fail(place, "predicted_speedup_low", "an interval around predicted_speedup");
}

void read_predictions(const std::string& path, Run& run) {
  std::map<std::string, const Setting*> cells;
  for (const Generation& g : run.generations) cells.emplace(g.cell_id, &g.axes);
  predictions_table().read(path,
                           [&](const Table& rows, std::size_t place, const PredictionRow& row) {
                             check_prediction(rows, place, row, cells);
                             if (!run.predictions.emplace(row.cell_id, row.prediction).second)
                               rows.fail(place, "cell_id", "occurs twice");
                           });
}

void read_failures(const std::string& path, Run& run) {
  std::set<std::int64_t> known;
  failures_table().read(path, [&](const Table& table, std::size_t place, const FailureRow& row) {
    if (!known.insert(row.row_id).second) table.fail(place, "row_id", "occurs twice");
    if (row.row_id >= run.manifest.planned_generations.value_or(row.row_id + 1))
      table.fail(place, "row_id", "no generation of manifest.toml's planned_generations");
    if (run.generation_of_row.contains(row.row_id))
      table.fail(place, "row_id", "rows.csv has this generation, so it has not failed");
    ++run.failures[row.cell_id];
  });
}

void read_texts(const std::string& path, Run& run) {
  run.texts = read_text_samples(path);
  for (const TextSample& sample : run.texts)
    if (!run.generation_of_row.contains(sample.row_id))
      throw DataError(fmt::format("{}: row_id {} is not in rows.csv", path, sample.row_id));
}

/// Leaves out generations that the device disturbed, as those that failed.
void drop_disturbed(const std::string& path, Run& run) {
  const std::vector<DeviceRow> rows = device_table().read_if_there(path);
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
