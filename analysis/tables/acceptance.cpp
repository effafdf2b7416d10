#include "analysis/tables/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "analysis/tables/empty_run_error.h"
#include "analysis/tables/read_axes.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kDeepest = 10'000;

/// What is summed in two orders may differ by that share.
constexpr double kSumRounding = 1e-9;

/// A sum of chances is at most what it is a part of.
double part(const Table& table, std::size_t row, const std::string& column, double whole) {
  return table.number_from(0, whole * (1 + kSumRounding), row, column);
}

DepthSums read_sums(const Table& table, std::size_t row, std::int64_t positions) {
  DepthSums sums{.drafts = table.count(row, "drafts")};
  if (sums.drafts > positions) table.fail(row, "drafts", "at most positions");
  sums.reached = part(table, row, "reached", static_cast<double>(sums.drafts));
  sums.accepted = part(table, row, "accepted", sums.reached);
  sums.known_ranks = 0;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const std::string column = fmt::format("in_top_{}", rank + 1);
    const auto value =
        table.optional_number_from(0, sums.reached * (1 + kSumRounding), row, column);
    if (!value) continue;
    if (sums.known_ranks != rank) table.fail(row, column, "missing, because the rank before it is");
    if (rank > 0 && *value < sums.in_top[rank - 1] * (1 - kSumRounding))
      table.fail(row, column, "at least that of the rank before");
    sums.in_top[rank] = *value;
    sums.known_ranks = rank + 1;
  }
  return sums;
}

AcceptanceRow read_acceptance_row(const Table& table, std::size_t row) {
  AcceptanceRow result{.cell_id = table.text(row, "cell_id"),
                       .category = table.text(row, "category"),
                       .prompt_id = table.text(row, "prompt_id"),
                       .axes = read_axes(table, row),
                       .positions = table.count(row, "positions", 1),
                       .sums = {}};
  const std::int64_t depth = table.count(row, "depth", 1);
  if (depth > kDeepest) table.fail(row, "depth", fmt::format("at most {}", kDeepest));
  result.depth = static_cast<int>(depth);
  result.sums = read_sums(table, row, result.positions);
  return result;
}

/// What rows of one file owe those before them.
class RowsBefore {
 public:
  void check(const Table& table, std::size_t row, const AcceptanceRow& next) {
    if (const CellAxes& axes = cells_.try_emplace(next.cell_id, next.axes).first->second;
        axes != next.axes)
      table.fail(row, "cell_id", "an earlier row of the cell has other axes");
    auto [text, is_first] = texts_.try_emplace({next.cell_id, next.prompt_id}, next);
    AcceptanceRow& before = text->second;
    if (next.depth != (is_first ? 1 : before.depth + 1))
      table.fail(row, "depth",
                 fmt::format("{}; allowed: {}, the next of its cell and prompt", next.depth,
                             is_first ? 1 : before.depth + 1));
    if (next.positions != before.positions)
      table.fail(row, "positions", "an earlier row of the cell and prompt has others");
    if (next.category != before.category)
      table.fail(row, "category", "an earlier row of the cell and prompt has another");
    if (next.sums.drafts > before.sums.drafts)
      table.fail(row, "drafts", "more than at the depth before");
    before = next;
  }

 private:
  std::map<std::string, CellAxes> cells_;
  std::map<std::pair<std::string, std::string>, AcceptanceRow> texts_;  ///< the deepest row of each
};

std::size_t num_texts(const std::vector<AcceptanceRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count(rows, 1, &AcceptanceRow::depth));
}

}  // namespace

std::vector<AcceptanceRow> read_acceptance(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kAcceptanceColumns);
  std::vector<AcceptanceRow> rows;
  RowsBefore before;
  for (std::size_t row = 0; row < table.size(); ++row) {
    rows.push_back(read_acceptance_row(table, row));
    before.check(table, row, rows.back());
  }
  return rows;
}

bool are_rounds_observed(const Manifest& manifest) {
  return std::ranges::find(manifest.config,
                           std::pair<std::string, std::string>("experiment.places", "rounds")) !=
         manifest.config.end();
}

std::string AcceptanceRun::missing() const { return manifest.missing(num_texts(rows), "texts"); }

AcceptanceRun read_acceptance_run(const std::string& folder) {
  AcceptanceRun run{.manifest = read_manifest(folder + "/manifest.toml"), .rows = {}};
  expect_measured(folder, "acceptance.csv");
  run.rows = read_acceptance(folder + "/acceptance.csv");
  if (const std::string siblings = folder + "/siblings.csv"; std::filesystem::exists(siblings))
    run.siblings = read_siblings(siblings);
  if (run.rows.empty())
    throw EmptyRunError(folder +
                        "/acceptance.csv: no rows; the run was interrupted before it measured "
                        "anything; repeat speclab run to continue it");
  if (num_texts(run.rows) > static_cast<std::size_t>(run.manifest.planned_generations.value_or(
                                std::numeric_limits<std::int64_t>::max())))
    throw DataError(
        folder +
        "/manifest.toml: provenance.planned_generations is less than the texts of acceptance.csv");
  return run;
}

}  // namespace speclab::analysis
