#include "analysis/tables/table_parser.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::analysis {

TableParser::TableParser(Table& table, std::function<void(const Table&)> on_piece)
    : table_(table), on_piece_(std::move(on_piece)) {
  if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL) != 0)
    throw std::bad_alloc();
  csv_set_space_func(&parser_, [](unsigned char) { return 0; });  // blanks belong to the field
}

void TableParser::parse(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  most_fields_ = static_cast<std::size_t>(
      std::ranges::count_if(content, [](char c) { return c == ',' || c == '\n'; }));
  for (line_ = 1; !content.empty(); ++line_) {
    const std::size_t length = std::min(content.find('\n'), content.size() - 1) + 1;
    feed(content.substr(0, length));
    content.remove_prefix(length);
  }
  if (csv_fini(&parser_, on_field, on_row, this) != 0) fail(row_line_, "unterminated quoted field");
  take_ended_rows();
  if (table_.columns_.empty()) fail(1, "no header");
  if (on_piece_ && (table_.size() > 0 || !handed_over_)) hand_over();
}

void TableParser::feed(std::string_view line) {
  if (!row_open_) {
    if (line == "\n" || line == "\r\n") fail(line_, "blank line");
    if (line.front() == '\r') fail(line_, "carriage return inside a line");
    row_line_ = line_;
    row_open_ = true;
  }
  const std::size_t body = line.size() - (line.ends_with("\r\n") ? 2
                                          : line.ends_with('\n') ? 1
                                                                 : 0);
  feed_part(line, 0, body);
  if (rows_ended_ > 0) fail(line_, "carriage return inside a line");
  feed_part(line, body, line.size());
  take_ended_rows();
}

void TableParser::feed_part(std::string_view line, std::size_t begin, std::size_t end) {
  const std::size_t done =
      csv_parse(&parser_, line.data() + begin, end - begin, on_field, on_row, this);
  if (done != end - begin)
    fail(line_, csv_strerror(csv_error(&parser_)), ":" + std::to_string(begin + done + 1));
}

void TableParser::take_ended_rows() {
  if (rows_ended_ == 1) end_row();
  rows_ended_ = 0;
}

void TableParser::end_row() {
  row_open_ = false;
  if (table_.columns_.empty()) return take_header();
  if (row_.size() != table_.columns_.size()) {
    fail(row_line_, std::to_string(row_.size()) + " fields, header has " +
                        std::to_string(table_.columns_.size()));
  }
  std::move(row_.begin(), row_.end(), std::back_inserter(table_.fields_));
  table_.lines_.push_back(row_line_);
  row_.clear();
  if (on_piece_ && table_.size() == kRowsOfAPiece) hand_over();
}

void TableParser::hand_over() {
  on_piece_(table_);
  handed_over_ = true;
  table_.fields_.clear();
  table_.lines_.clear();
}

void TableParser::take_header() {
  if (row_.size() > kMostColumns)
    fail(row_line_, std::to_string(row_.size()) + " columns; allowed: at most " +
                        std::to_string(kMostColumns));
  for (const auto& name : row_) {
    if (!name || name->empty()) fail(row_line_, "column without a name");
    if (std::ranges::count(table_.columns_, *name) > 0)
      fail(row_line_, "duplicate column '" + escaped(*name) + "'");
    table_.columns_.push_back(*name);
  }
  row_.clear();
  table_.fields_.reserve(
      std::min(most_fields_, on_piece_ ? kRowsOfAPiece * table_.columns_.size() : kMostReserved));
}

void TableParser::fail(std::size_t line, const std::string& message,
                       const std::string& column) const {
  throw DataError(table_.name_ + ":" + std::to_string(line) + column + ": " + message);
}

void TableParser::on_field(void* data, std::size_t length, void* self) {
  auto& row = static_cast<TableParser*>(self)->row_;
  if (data == nullptr) {
    row.emplace_back();
  } else {
    row.emplace_back(std::string(static_cast<const char*>(data), length));
  }
}

}  // namespace speclab::analysis
