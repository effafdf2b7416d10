#pragma once
// A CSV file as a table of typed fields. Strict: what does not fit is an error with file, line and
// column.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::analysis {

/// The least of numbers that are above 0.
inline constexpr double kAboveZero = std::numeric_limits<double>::min();

/// Columns by name, rows by index. An empty field is missing, never 0; `""` is an empty text.
class Table {
 public:
  /// RFC 4180 with a header; a UTF-8 byte-order mark is skipped. @throws DataError at the first
  /// fault
  static Table read(const std::string& path);
  /// The same from memory; `name` stands for the file in messages.
  static Table parse(std::string_view content, std::string name);
  /// A long file some thousand rows at a time, so that its fields need not all be kept: `on_piece`
  /// gets tables of the same columns, in order, at least one (without rows where the file has
  /// none). @throws DataError as read, after the pieces before the fault
  static void read_pieces(const std::string& path,
                          const std::function<void(const Table&)>& on_piece);

  std::size_t size() const { return lines_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  /// @throws DataError unless the columns are exactly `expected`, in any order
  void expect_columns(std::span<const std::string_view> expected) const;

  /// Texts are UTF-8 without control bytes. @throws DataError if the column does not exist, or the
  /// field is missing or of another type
  std::string text(std::size_t row, std::string_view column) const;
  std::int64_t integer(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column) const;
  bool flag(std::size_t row, std::string_view column) const;  ///< 0 or 1
  std::int64_t count(std::size_t row, std::string_view column,
                     std::int64_t least = 0) const;  ///< `least` to 2^53
  double number_from(double low, double high, std::size_t row, std::string_view column) const;
  /// The same, but a missing field is nullopt.
  std::optional<std::string> optional_text(std::size_t row, std::string_view column) const;
  std::optional<std::int64_t> optional_integer(std::size_t row, std::string_view column) const;
  std::optional<double> optional_number(std::size_t row,
                                        std::string_view column) const;  ///< finite
  std::optional<double> optional_number_from(double low, double high, std::size_t row,
                                             std::string_view column) const;

  /// @throws DataError "file:line: column 'x': message"
  [[noreturn]] void fail(std::size_t row, std::string_view column,
                         const std::string& message) const;

 private:
  friend class TableParser;
  const std::optional<std::string>& field(std::size_t row, std::string_view column) const;
  std::size_t index_of(std::string_view column) const;

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::optional<std::string>> fields_;  ///< row by row
  std::vector<std::size_t> lines_;                  ///< first physical line of each row, from 1
};

}  // namespace speclab::analysis
