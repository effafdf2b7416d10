#include "engines/cuda/packed_weights.h"

#include <fmt/format.h>

#include "engines/cpu/bfloat16.h"
#include "engines/cuda/packed_layout.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
std::int64_t packed_size(std::int64_t rows, std::int64_t columns) {
  return (rows + kTileRows - 1) / kTileRows * kTileRows * columns;
}

std::vector<std::uint16_t> pack(std::span<const float> values, std::int64_t columns,
                                const std::function<std::int64_t(std::int64_t)>& source_row) {
  if (columns % kTileColumns != 0)
    throw DeviceError(fmt::format(
        "device 'cuda': a matrix of {} columns; allowed there: multiples of {}; use --device cpu",
        columns, kTileColumns));
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  std::vector<std::uint16_t> packed(static_cast<std::size_t>(packed_size(rows, columns)), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* source = values.data() + source_row(row) * columns;
    for (std::int64_t column = 0; column < columns; ++column)
      packed[static_cast<std::size_t>(packed_index(row, column, columns))] =
          cpu::to_bfloat16(source[column]);
  }
  return packed;
}

}  // namespace speclab::engines::cuda
