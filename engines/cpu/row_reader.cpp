#include "engines/cpu/row_reader.h"

namespace speclab::engines::cpu {

RowReader::RowReader(const RowPlaces& table)
    : file_(table.place_of(0).file->reopened()),
      format_(table.format),
      first_(table.place_of(0).offset),
      row_(static_cast<std::size_t>(table.row_bytes)) {}

void RowReader::read(std::int64_t row, float* out) {
  file_.read(first_ + static_cast<std::uint64_t>(row) * row_.size(), row_);
  file_.require_unchanged();
  format_->dequantise(row_, out);
}

}  // namespace speclab::engines::cpu
