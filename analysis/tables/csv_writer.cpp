#include "analysis/tables/csv_writer.h"

#include <array>
#include <charconv>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of("\",\r\n") != std::string_view::npos;
}

template <typename Number>
std::string shortest(Number value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

}  // namespace

CsvWriter::CsvWriter(std::span<const std::string_view> columns) : num_columns_(columns.size()) {
  for (const auto column : columns) field(column);
  end_row();
}

void CsvWriter::separate() {
  if (num_fields_++ > 0) content_ += ',';
}

CsvWriter& CsvWriter::field(std::string_view text) {
  separate();
  content_ += needs_quotes(text) ? quoted(text) : std::string(text);
  return *this;
}

CsvWriter& CsvWriter::field(std::int64_t value) {
  separate();
  content_ += shortest(value);
  return *this;
}

CsvWriter& CsvWriter::field(double value) {
  separate();
  content_ += shortest(value);
  return *this;
}

CsvWriter& CsvWriter::field(const std::optional<double>& value) {
  return value ? field(*value) : missing();
}

CsvWriter& CsvWriter::missing() {
  separate();
  return *this;
}

void CsvWriter::end_row() {
  SPECLAB_EXPECT(num_fields_ == num_columns_, std::to_string(num_fields_) + " fields, header has " +
                                                  std::to_string(num_columns_));
  content_ += '\n';
  num_fields_ = 0;
}

std::size_t num_csv_records(std::string_view csv) {
  std::size_t records = 0;
  bool is_quoted = false, is_open = false;
  for (const char c : csv) {
    if (c == '"') is_quoted = !is_quoted;  // a doubled quote ends and begins
    is_open = is_quoted || c != '\n';
    records += is_open ? 0 : 1;
  }
  return records + (is_open ? 1 : 0);
}

}  // namespace speclab::analysis
