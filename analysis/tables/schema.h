#pragma once
// One table, spelt once: the columns of a CSV file with their values, units and meaning, bound to
// the fields of a row. Its writer, its reader and results/TABLES.md come from this list.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/tables/column.h"
#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"

namespace speclab::analysis {

template <typename Row>
class Schema {
 public:
  using Columns = std::vector<Column<Row>>;
  /// Looks at a row beside its place in the file. @throws DataError by Table::fail
  using Check = std::function<void(const Table&, std::size_t, const Row&)>;

  /// @param file  name of the table @param row  the thing that one row is
  Schema(std::string_view file, std::string_view row, Columns columns)
      : file_(file), row_(row), columns_(std::move(columns)) {}

  std::string_view file() const { return file_; }
  std::string_view row() const { return row_; }
  const Columns& columns() const { return columns_; }

  /// Names of the columns that a file has. @param groups  of columns that are there beside those
  /// that every file has
  std::vector<std::string_view> names(const ColumnGroups& groups = {}) const {
    std::vector<std::string_view> names;
    for (const Column<Row>& column : columns_)
      if (groups.have(column.group)) names.push_back(column.name);
    return names;
  }

  /// The groups of which the file has a column.
  ColumnGroups groups_in(const Table& table) const {
    ColumnGroups groups;
    for (const Column<Row>& column : columns_)
      if (!column.group.empty() && !groups.have(column.group) &&
          std::ranges::find(table.columns(), column.name) != table.columns().end())
        groups.present.push_back(column.group);
    return groups;
  }

  /// @throws DataError naming file, line and column, also for a missing or an unknown column
  std::vector<Row> read(const Table& table, const ColumnGroups& groups, const Check& check) const {
    table.expect_columns(names(groups));
    std::vector<Row> rows;
    for (std::size_t row = 0; row < table.size(); ++row) {
      rows.push_back(read_row(table, row, groups));
      check(table, row, rows.back());
    }
    return rows;
  }
  /// Groups of columns are read where the file has one of them.
  std::vector<Row> read(
      const std::string& path,
      const Check& check = [](const Table&, std::size_t, const Row&) {}) const {
    const Table table = Table::read(path);
    return read(table, groups_in(table), check);
  }
  /// No rows if the file is missing.
  std::vector<Row> read_if_there(
      const std::string& path,
      const Check& check = [](const Table&, std::size_t, const Row&) {}) const {
    return std::filesystem::exists(path) ? read(path, check) : std::vector<Row>{};
  }
  Row read_row(const Table& table, std::size_t row, const ColumnGroups& groups = {}) const {
    Row result;
    for (const Column<Row>& column : columns_)
      if (groups.have(column.group)) column.read(table, row, result);
    return result;
  }

  /// An empty table of this form.
  CsvWriter writer(const ColumnGroups& groups = {}) const { return CsvWriter(names(groups)); }
  void write(CsvWriter& csv, const Row& row, const ColumnGroups& groups = {}) const {
    for (const Column<Row>& column : columns_)
      if (groups.have(column.group)) column.write(row, csv);
    csv.end_row();
  }
  /// The text of a whole file.
  std::string csv(std::span<const Row> rows, const ColumnGroups& groups = {}) const {
    CsvWriter csv = writer(groups);
    for (const Row& row : rows) write(csv, row, groups);
    return std::move(csv).content();
  }

 private:
  std::string_view file_, row_;
  Columns columns_;
};

}  // namespace speclab::analysis
