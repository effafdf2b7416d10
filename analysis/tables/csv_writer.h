#pragma once
// The text of a CSV file, and its records.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace speclab::analysis {

/// Builds the text of a CSV file, field by field. Numbers in the shortest form that reads back
/// exactly; missing is empty.
class CsvWriter {
 public:
  explicit CsvWriter(std::span<const std::string_view> columns);

  CsvWriter& field(std::string_view text);
  CsvWriter& field(std::int64_t value);
  CsvWriter& field(double value);
  CsvWriter& field(const std::optional<double>& value);
  CsvWriter& missing();
  /// Ends the row. @throws ContractError if it has not one field for each column
  void end_row();

  const std::string& content() const& { return content_; }
  std::string content() && { return std::move(content_); }

 private:
  void separate();

  std::string content_;
  std::size_t num_columns_;
  std::size_t num_fields_ = 0;
};

/// Records of a CSV text, the header among them, without a look at their fields: RFC 4180 ends one
/// at a line feed outside of quotes. A last record without its line feed counts.
std::size_t num_csv_records(std::string_view csv);

}  // namespace speclab::analysis
