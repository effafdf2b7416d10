#include "experiments/drivers/papers/papers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "experiments/papers/embedded_papers.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Table;

constexpr double kLoosest = 1.0;  ///< tolerance

template <typename Number>
std::vector<Number> list_of(const Table& table, std::size_t row, const std::string& column) {
  const std::string text = table.text(row, column);
  std::vector<Number> values;
  for (const char *at = text.data(), *end = text.data() + text.size(); at <= end;) {
    const char* separator = std::find(at, end, '|');
    Number value{};
    const auto [stop, error] = std::from_chars(at, separator, value);
    if (error != std::errc() || stop != separator || !std::isfinite(static_cast<double>(value)))
      table.fail(row, column, "'" + escaped(text, 60) + "'; allowed: numbers separated by |");
    values.push_back(value);
    at = separator + 1;
  }
  return values;
}

/// By the column `basis` where a table holds the printed beside the recomputed, else by `status`.
Origin origin_of(const Table& table, std::size_t row) {
  const bool has_basis = std::ranges::count(table.columns(), "basis") > 0;
  if (has_basis ? is(table, row, "basis", "printed")
                : is(table, row, "status", "reported_measurement"))
    return Origin::printed;
  return is(table, row, "status", "read_off_figure") ? Origin::read_off : Origin::recomputed;
}

/// @throws DataError if there is not exactly one
std::size_t only_row(const Table& table, const std::string& key_column, const std::string& key) {
  std::optional<std::size_t> found;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!is(table, row, key_column, key)) continue;
    if (found) table.fail(row, key_column, "'" + key + "' occurs twice");
    found = row;
  }
  if (!found)
    throw DataError("no row with " + key_column + " = '" + key +
                    "' in the papers' table; restore the file");
  return *found;
}

Table embedded_table(const std::string& file) {
  const auto papers = embedded_papers();
  const auto found = std::ranges::find(papers, std::string_view(file), &EmbeddedPaper::file);
  SPECLAB_EXPECT(found != papers.end(), file + " is not among experiments/papers");
  return Table::parse(found->content, "experiments/papers/" + file);
}

}  // namespace

Table Papers::table(const std::string& file) const {
  Table ours = embedded_table(file);
  if (!folder_) return ours;
  const std::string path = *folder_ + "/" + file;
  Table table = Table::read(path);
  const std::vector<std::string_view> columns(ours.columns().begin(), ours.columns().end());
  table.expect_columns(columns);
  if (table.size() < ours.size())
    throw DataError(path + ": " + std::to_string(table.size()) + " rows; allowed: at least the " +
                    std::to_string(ours.size()) + " of experiments/papers");
  return table;
}

std::vector<Slip> Papers::slips(const std::string& experiment) const {
  const Table rows = table("slips.csv");
  const auto text = [&](std::size_t row, const char* column) {
    return rows.optional_text(row, column).value_or("");
  };
  std::vector<Slip> slips;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (is(rows, row, "experiment", experiment))
      slips.push_back(
          {experiment, rows.text(row, "name"), text(row, "setting"), text(row, "quantity"),
           rows.optional_number_from(0.0, kLoosest, row, "allowed_abs"), rows.text(row, "source"),
           rows.text(row, "locator"), rows.text(row, "printed"), rows.text(row, "right")});
  return slips;
}

Comparison compare(const Table& table, std::size_t row, const std::string& value_column,
                   Comparison ours) {
  ours.reference = table.number(row, value_column);
  if (!ours.tolerance && std::ranges::count(table.columns(), "tolerance_abs") > 0)
    ours.tolerance = table.optional_number_from(0.0, kLoosest, row, "tolerance_abs");
  ours.origin = origin_of(table, row);
  ours.source = table.text(row, "source");
  ours.locator = table.text(row, "locator");
  return ours;
}

Comparison compare(const Table& table, Comparison ours) {
  const std::size_t row = only_row(table, "quantity", ours.quantity);
  return compare(table, row, "value", std::move(ours));
}

std::vector<double> number_list(const Table& table, std::size_t row, const std::string& column) {
  return list_of<double>(table, row, column);
}
std::vector<int> integer_list(const Table& table, std::size_t row, const std::string& column) {
  return list_of<int>(table, row, column);
}

int small_count(const Table& table, std::size_t row, const std::string& column, int least) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t value = table.count(row, column, least);
  if (value > kMost)
    table.fail(row, column,
               std::to_string(value) + "; allowed: integers from " + std::to_string(least) +
                   " to 1000000");
  return static_cast<int>(value);
}

double value_of(const Table& table, const std::string& key_column, const std::string& key,
                const std::string& value_column) {
  return table.number(only_row(table, key_column, key), value_column);
}

bool is(const Table& table, std::size_t row, const std::string& column, const std::string& text) {
  return table.optional_text(row, column).value_or("") == text;
}

}  // namespace speclab::experiments
