#include "analysis/io/table.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <new>

#include "sim/core/files.h"
#include "sim/core/errors.h"

namespace speclab::analysis {

/// Feeds libcsv one physical line at a time, so that every row knows the line it starts on.
class TableParser {
 public:
  explicit TableParser(Table& table) : table_(table) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL) != 0) throw std::bad_alloc();
    csv_set_space_func(&parser_, [](unsigned char) { return 0; });  // blanks belong to the field
  }
  ~TableParser() { csv_free(&parser_); }
  TableParser(const TableParser&) = delete;
  TableParser& operator=(const TableParser&) = delete;

  void parse(std::string_view content) {
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    most_fields_ = static_cast<std::size_t>(std::ranges::count_if(content, [](char c) { return c == ',' || c == '\n'; }));
    for (line_ = 1; !content.empty(); ++line_) {
      const std::size_t length = std::min(content.find('\n'), content.size() - 1) + 1;
      feed(content.substr(0, length));
      content.remove_prefix(length);
    }
    if (csv_fini(&parser_, on_field, on_row, this) != 0) fail(row_line_, "unterminated quoted field");
    take_ended_rows();
    if (table_.columns_.empty()) fail(1, "no header");
  }

 private:
  void feed(std::string_view line) {
    if (!row_open_) {
      if (line == "\n" || line == "\r\n") fail(line_, "blank line");
      row_line_ = line_;
      row_open_ = true;
    }
    const std::size_t done = csv_parse(&parser_, line.data(), line.size(), on_field, on_row, this);
    if (done != line.size()) fail(line_, csv_strerror(csv_error(&parser_)), ":" + std::to_string(done + 1));
    take_ended_rows();
  }

  void take_ended_rows() {
    if (rows_ended_ > 1) fail(row_line_, "carriage return inside a line");
    if (rows_ended_ == 1) end_row();
    rows_ended_ = 0;
  }

  void end_row() {
    row_open_ = false;
    if (table_.columns_.empty()) return take_header();
    if (row_.size() != table_.columns_.size()) {
      fail(row_line_, std::to_string(row_.size()) + " fields, header has " + std::to_string(table_.columns_.size()));
    }
    std::move(row_.begin(), row_.end(), std::back_inserter(table_.fields_));
    table_.lines_.push_back(row_line_);
    row_.clear();
  }

  void take_header() {
    for (const auto& name : row_) {
      if (!name) fail(row_line_, "column without a name");
      if (std::ranges::count(table_.columns_, *name) > 0) fail(row_line_, "duplicate column '" + escaped(*name) + "'");
      table_.columns_.push_back(*name);
    }
    row_.clear();
    table_.fields_.reserve(std::min(most_fields_, kMostReserved));
  }

  [[noreturn]] void fail(std::size_t line, const std::string& message, const std::string& column = "") const {
    throw DataError(table_.name_ + ":" + std::to_string(line) + column + ": " + message);
  }

  static void on_field(void* data, std::size_t length, void* self) {
    auto& row = static_cast<TableParser*>(self)->row_;
    if (data == nullptr) {
      row.emplace_back();
    } else {
      row.emplace_back(std::string(static_cast<const char*>(data), length));
    }
  }
  // Only counts: an error must not be thrown through libcsv, which is C.
  static void on_row(int, void* self) { ++static_cast<TableParser*>(self)->rows_ended_; }

  Table& table_;
  csv_parser parser_{};
  std::vector<std::optional<std::string>> row_;
  static constexpr std::size_t kMostReserved = std::size_t{1} << 22;
  std::size_t most_fields_ = 0;  ///< separators of the whole file
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  int rows_ended_ = 0;
  bool row_open_ = false;
};

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

void Table::expect_columns(std::span<const std::string_view> expected) const {
  for (const auto column : expected) index_of(column);
  for (const auto& column : columns_) {
    if (std::ranges::count(expected, column) == 0) throw DataError(name_ + ":1: unknown column '" + escaped(column) + "'");
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
  throw DataError(name_ + ":" + std::to_string(lines_[row]) + ": column '" + std::string(column) + "': " + message);
}

std::string Table::text(std::size_t row, std::string_view column) const {
  const auto& value = field(row, column);
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
  if (value != "0" && value != "1") fail(row, column, "not a flag: '" + escaped(value) + "'; allowed: 0, 1");
  return value == "1";
}

std::optional<std::string> Table::optional_text(std::size_t row, std::string_view column) const { return field(row, column); }

std::optional<std::int64_t> Table::optional_integer(std::size_t row, std::string_view column) const {
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
  if (!number || !std::isfinite(*number)) fail(row, column, "not a finite number: '" + escaped(*value) + "'");
  return number;
}

std::int64_t Table::count(std::size_t row, std::string_view column, std::int64_t least) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::int64_t value = integer(row, column);
  if (value < least || value > kMost) fail(row, column, std::to_string(value) + "; allowed: integers from " + std::to_string(least) + " to 2^53");
  return value;
}

double Table::number_from(double low, double high, std::size_t row, std::string_view column) const {
  const double value = number(row, column);
  if (value < low || value > high) fail(row, column, fmt::format("{}; allowed: numbers from {} to {}", value, low, high));
  return value;
}

std::optional<double> Table::optional_number_from(double low, double high, std::size_t row, std::string_view column) const {
  if (!field(row, column)) return std::nullopt;
  return number_from(low, high, row, column);
}

}  // namespace speclab::analysis
