#include "analysis/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/tables/table_parser.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/utf8.h"

namespace speclab::analysis {
namespace {

/// The whole text as a number, or nothing.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Table Table::read(const std::string& path) { return parse(read_file(path), path); }

Table Table::parse(std::string_view content, std::string name) {
  Table table;
  table.name_ = std::move(name);
  TableParser(table).parse(content);
  return table;
}

void Table::read_pieces(const std::string& path,
                        const std::function<void(const Table&)>& on_piece) {
  Table piece;
  piece.name_ = path;
  TableParser(piece, on_piece).parse(read_file(path));
}

void Table::expect_columns(std::span<const std::string_view> expected) const {
  for (const auto column : expected) index_of(column);
  for (const auto& column : columns_) {
    if (std::ranges::count(expected, column) == 0)
      throw DataError(name_ + ":1: unknown column '" + escaped(column) + "'");
  }
}

std::size_t Table::index_of(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  std::string names;
  for (const auto& name : columns_) names += (names.empty() ? "" : ", ") + escaped(name);
  throw DataError(name_ + ": missing column '" + std::string(column) + "' (has: " + names + ")");
}

const std::optional<std::string>& Table::field(std::size_t row, std::string_view column) const {
  SPECLAB_EXPECT(row < size(), "row " + std::to_string(row) + " of " + std::to_string(size()));
  return fields_[row * columns_.size() + index_of(column)];
}

void Table::fail(std::size_t row, std::string_view column, const std::string& message) const {
  throw DataError(name_ + ":" + std::to_string(lines_[row]) + ": column '" + std::string(column) +
                  "': " + message);
}

std::string Table::text(std::size_t row, std::string_view column) const {
  const auto value = optional_text(row, column);
  if (!value) fail(row, column, "missing");
  return *value;
}

std::int64_t Table::integer(std::size_t row, std::string_view column) const {
  const auto value = optional_integer(row, column);
  if (!value) fail(row, column, "missing");
  return *value;
}

double Table::number(std::size_t row, std::string_view column) const {
  const auto value = optional_number(row, column);
  if (!value) fail(row, column, "missing");
  return *value;
}

bool Table::flag(std::size_t row, std::string_view column) const {
  const std::string value = text(row, column);
  if (value != "0" && value != "1")
    fail(row, column, "not a flag: '" + escaped(value) + "'; allowed: 0, 1");
  return value == "1";
}

std::optional<std::string> Table::optional_text(std::size_t row, std::string_view column) const {
  const auto& value = field(row, column);
  if (value && !is_printable(*value))
    fail(row, column, "'" + escaped(*value) + "'; allowed: UTF-8 without control characters");
  return value;
}

std::optional<std::int64_t> Table::optional_integer(std::size_t row,
                                                    std::string_view column) const {
  const auto& value = field(row, column);
  if (!value) return std::nullopt;
  const auto integer = parse_number<std::int64_t>(*value);
  if (!integer) fail(row, column, "not an integer: '" + escaped(*value) + "'");
  return integer;
}

std::optional<double> Table::optional_number(std::size_t row, std::string_view column) const {
  const auto& value = field(row, column);
  if (!value) return std::nullopt;
  const auto number = parse_number<double>(*value);
  if (!number || !std::isfinite(*number))
    fail(row, column, "not a finite number: '" + escaped(*value) + "'");
  return number;
}

std::int64_t Table::count(std::size_t row, std::string_view column, std::int64_t least) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::int64_t value = integer(row, column);
  if (value < least || value > kMost)
    fail(row, column,
         std::to_string(value) + "; allowed: integers from " + std::to_string(least) + " to 2^53");
  return value;
}

double Table::number_from(double low, double high, std::size_t row, std::string_view column) const {
  const double value = number(row, column);
  if (value < low || value > high)
    fail(row, column,
         low == kAboveZero ? fmt::format("{}; allowed: numbers above 0, at most {}", value, high)
                           : fmt::format("{}; allowed: numbers from {} to {}", value, low, high));
  return value;
}

std::optional<double> Table::optional_number_from(double low, double high, std::size_t row,
                                                  std::string_view column) const {
  if (!field(row, column)) return std::nullopt;
  return number_from(low, high, row, column);
}

}  // namespace speclab::analysis
