#pragma once
// The rows of a CSV text, each with the line it starts on.

#include <csv.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"

namespace speclab::analysis {

/// Feeds libcsv one physical line at a time, so that every row knows the line it starts on, its end
/// apart, so that a row that ends before it is seen. Fills the table it is made for.
class TableParser {
 public:
  static constexpr std::size_t kMostColumns = 4096;
  static constexpr std::size_t kRowsOfAPiece = 4096;

  /// @param on_piece  gets the table whenever it has kRowsOfAPiece rows, and at the end, and it is
  /// emptied; none: it is filled with all
  explicit TableParser(Table& table, std::function<void(const Table&)> on_piece = {});
  ~TableParser() { csv_free(&parser_); }
  TableParser(const TableParser&) = delete;
  TableParser& operator=(const TableParser&) = delete;

  /// @throws DataError "name:line: message" at the first fault
  void parse(std::string_view content);

 private:
  void feed(std::string_view line);
  void feed_part(std::string_view line, std::size_t begin, std::size_t end);
  void take_ended_rows();
  void end_row();
  void take_header();
  void hand_over();
  [[noreturn]] void fail(std::size_t line, const std::string& message,
                         const std::string& column = "") const;

  static void on_field(void* data, std::size_t length, void* self);
  /// Only counts: an error must not be thrown through libcsv, which is C.
  static void on_row(int, void* self) { ++static_cast<TableParser*>(self)->rows_ended_; }

  Table& table_;
  std::function<void(const Table&)> on_piece_;
  bool handed_over_ = false;
  csv_parser parser_{};
  std::vector<std::optional<std::string>> row_;
  static constexpr std::size_t kMostReserved = std::size_t{1} << 22;
  std::size_t most_fields_ = 0;  ///< separators of the whole file
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  int rows_ended_ = 0;  ///< of this line
  bool row_open_ = false;
};

}  // namespace speclab::analysis
