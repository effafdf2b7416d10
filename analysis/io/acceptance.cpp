#include "analysis/io/acceptance.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "analysis/io/read_axes.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kDeepest = 10'000;

/// What is summed in two orders may differ by that share.
constexpr double kRounding = 1e-9;

/// A sum of chances is at most what it is a part of.
double part(const Table& table, std::size_t row, const std::string& column, double whole) {
  return table.number_from(0, whole * (1 + kRounding), row, column);
}

DepthSums read_sums(const Table& table, std::size_t row, std::int64_t positions) {
  DepthSums sums{.drafts = table.count(row, "drafts")};
  if (sums.drafts > positions) table.fail(row, "drafts", "at most positions");
  sums.reached = part(table, row, "reached", static_cast<double>(sums.drafts));
  sums.accepted = part(table, row, "accepted", sums.reached);
  sums.known_ranks = 0;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const std::string column = fmt::format("in_top_{}", rank + 1);
    const auto value = table.optional_number_from(0, sums.reached * (1 + kRounding), row, column);
    if (!value) continue;
    if (sums.known_ranks != rank) table.fail(row, column, "missing, as the ranks before it are");
    if (rank > 0 && *value < sums.in_top[rank - 1] * (1 - kRounding)) table.fail(row, column, "at least that of the rank before");
    sums.in_top[rank] = *value;
    sums.known_ranks = rank + 1;
  }
  return sums;
}

AcceptanceRow read_row(const Table& table, std::size_t row) {
  AcceptanceRow result{.cell_id = table.text(row, "cell_id"), .category = table.text(row, "category"), .prompt_id = table.text(row, "prompt_id"),
                       .axes = read_axes(table, row), .positions = table.count(row, "positions", 1), .sums = {}};
  const std::int64_t depth = table.count(row, "depth", 1);
  if (depth > kDeepest) table.fail(row, "depth", fmt::format("at most {}", kDeepest));
  result.depth = static_cast<int>(depth);
  result.sums = read_sums(table, row, result.positions);
  return result;
}

}  // namespace

std::size_t num_texts(const std::vector<AcceptanceRow>& rows) {
  std::set<std::pair<std::string, std::string>> texts;
  for (const AcceptanceRow& row : rows) texts.emplace(row.cell_id, row.prompt_id);
  return texts.size();
}

std::vector<AcceptanceRow> read_acceptance(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kAcceptanceColumns);
  std::vector<AcceptanceRow> rows;
  std::set<std::tuple<std::string, std::string, int>> known;
  for (std::size_t row = 0; row < table.size(); ++row) {
    rows.push_back(read_row(table, row));
    if (!known.emplace(rows.back().cell_id, rows.back().prompt_id, rows.back().depth).second) table.fail(row, "depth", "occurs twice for its cell and prompt");
  }
  return rows;
}

}  // namespace speclab::analysis
