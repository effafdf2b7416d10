#include "analysis/tables/siblings.h"

#include <set>
#include <tuple>

#include "analysis/tables/read_axes.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMost = 10'000;  ///< levels, and children of a node
constexpr double kRounding = 1 + 1e-9;  ///< what is summed in two orders may differ by that share

int place(const Table& table, std::size_t row, const char* column, std::int64_t least) {
  const std::int64_t value = table.count(row, column, least);
  if (value > kMost) table.fail(row, column, "at most 10000");
  return static_cast<int>(value);
}

SiblingRow read_sibling_row(const Table& table, std::size_t row) {
  SiblingRow result{.cell_id = table.text(row, "cell_id"),
                    .category = table.text(row, "category"),
                    .prompt_id = table.text(row, "prompt_id"),
                    .axes = read_axes(table, row),
                    .place = {place(table, row, "depth", 1), place(table, row, "parent_rank", 0),
                              place(table, row, "rank", 1)},
                    .sums = {}};
  if ((result.place.parent_rank == 0) != (result.place.depth == 1))
    table.fail(row, "parent_rank", "0 at depth 1, and only there");
  result.sums.drafts = table.count(row, "drafts", 1);
  result.sums.reached =
      table.number_from(0, static_cast<double>(result.sums.drafts) * kRounding, row, "reached");
  result.sums.accepted = table.number_from(0, result.sums.reached * kRounding, row, "accepted");
  return result;
}

}  // namespace

std::vector<SiblingRow> read_siblings(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kSiblingColumns);
  std::vector<SiblingRow> rows;
  std::set<std::tuple<std::string, std::string, sim::TreePlace>> places;
  for (std::size_t row = 0; row < table.size(); ++row) {
    rows.push_back(read_sibling_row(table, row));
    if (!places.insert({rows.back().cell_id, rows.back().prompt_id, rows.back().place}).second)
      table.fail(row, "rank", "a place that no earlier row of the cell and prompt has");
  }
  return rows;
}

}  // namespace speclab::analysis
