// results/TABLES.md says of every column what the table's schema says. SPECLAB_WRITE_TABLE=1 prints
// its blocks anew.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/bench_rows.h"
#include "analysis/tables/bridges.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/comparisons.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/device_predictions.h"
#include "analysis/tables/device_state.h"
#include "analysis/tables/generation_tables.h"
#include "analysis/tables/predictions.h"
#include "analysis/tables/regrets.h"
#include "analysis/tables/rounds.h"
#include "analysis/tables/siblings.h"
#include "analysis/tables/timeline.h"
#include "sim/system/files.h"

namespace speclab::analysis {
namespace {

constexpr const char* kBegin = "<!-- columns: ";
constexpr const char* kEnd = "<!-- end columns -->";

/// Columns that the page describes together, since the later ones have no meaning of their own.
struct Described {
  std::vector<std::string> names;
  std::vector<std::string> values;  ///< of each name
  std::string meaning;

  void add(const std::string& name, std::string_view value) {
    names.push_back("`" + name + "`");
    values.emplace_back(value);
  }
  /// One value stands for all if they are equal.
  std::string row() const {
    const bool are_equal = std::ranges::count(values, values.front()) == std::ssize(values);
    return fmt::format("| {} | {} | {} |\n", fmt::join(names, ", "),
                       are_equal ? values.front() : fmt::format("{}", fmt::join(values, ", ")),
                       meaning);
  }
};

/// @param left_out  columns that another part of the page describes, by name and meaning
template <typename Row>
std::string page_of(const std::vector<Column<Row>>& columns,
                    const std::set<std::pair<std::string, std::string>>& left_out = {}) {
  std::vector<Described> described;
  std::string meaning;  // of the last column that has one
  for (const Column<Row>& column : columns) {
    if (!column.meaning.empty()) meaning = column.meaning;
    if (left_out.contains({column.name, meaning})) continue;
    if (described.empty() || described.back().meaning != meaning)
      described.push_back({.names = {}, .values = {}, .meaning = meaning});
    described.back().add(column.name, column.values);
  }
  std::string page = "| column | values | meaning |\n|---|---|---|\n";
  for (const Described& entry : described) page += entry.row();
  return page;
}

/// The table of each name on the page.
std::map<std::string, std::string> pages() {
  const auto cell = cell_columns<CellRow>(&CellRow::cell_id, &CellRow::category, &CellRow::axes);
  std::set<std::pair<std::string, std::string>> axes;
  std::string meaning;
  for (const auto& column : cell) {
    if (!column.meaning.empty()) meaning = column.meaning;
    axes.emplace(column.name, meaning);
  }
  std::map<std::string, std::string> all{{"axes", page_of(cell)}};
  const auto add = [&](const auto& schema) {
    all[std::string(schema.file())] = page_of(schema.columns(), axes);
  };
  add(rows_table());
  add(rounds_table());
  add(times_table());
  add(costs_table());
  add(predictions_table());
  add(pace_table());
  add(device_table());
  add(bridges_table());
  add(timeline_table());
  add(failures_table());
  add(atlas_table());
  add(acceptance_table());
  add(drafter_counts_table());
  add(siblings_table());
  add(cells_table());
  add(regrets_table());
  add(predicted_lengths_table());
  add(composed_speedups_table());
  add(predicted_passes_table());
  add(predicted_rounds_table());
  add(left_out_passes_table());
  add(comparisons_table());
  add(comparison_summary_table());
  add(bench_pairs_table());
  add(bench_counts_table());
  return all;
}

/// The page with every block as the schemas say it. @param missing  gets the tables that it lacks
std::string printed(const std::string& page, std::set<std::string>& missing) {
  const auto all = pages();
  for (const auto& [name, text] : all) missing.insert(name);
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin; (begin = page.find(kBegin, at)) != std::string::npos;) {
    const std::size_t line_end = page.find('\n', begin) + 1, end = page.find(kEnd, begin);
    const std::size_t name_at = begin + std::string(kBegin).size();
    const std::string name = page.substr(name_at, page.find(" -->", name_at) - name_at);
    out += page.substr(at, line_end - at) + all.at(name);
    missing.erase(name);
    at = end;
  }
  return out + page.substr(at);
}

// Defect: a column that the page lacks, or a meaning, unit or name that is another on the page.
TEST(TablesPage, SaysOfEveryColumnWhatItsSchemaSays) {
  const std::string path = SPECLAB_SOURCE_DIR "/results/TABLES.md";
  const std::string page = read_file(path);
  std::set<std::string> missing;
  const std::string expected = printed(page, missing);
  EXPECT_TRUE(missing.empty()) << fmt::format("no block for {}", fmt::join(missing, ", "));
  if (std::getenv("SPECLAB_WRITE_TABLE") != nullptr) write_file(path, expected);
  EXPECT_EQ(read_file(path), expected) << "SPECLAB_WRITE_TABLE=1 prints the page anew";
}

}  // namespace
}  // namespace speclab::analysis
