#pragma once
// Where an element of a weight matrix stands on the device: in the order in which the lanes of a
// warp read it.

#include <cstdint>

#if defined(__CUDACC__)
#define SPECLAB_HOST_DEVICE __host__ __device__
#else
#define SPECLAB_HOST_DEVICE
#endif

namespace speclab::engines::cuda {

// A tile is 16 rows of 32 columns, 1,024 bytes: lane l of a warp reads columns 8 (l % 4) to 8 (l %
// 4) + 7 of row l / 4, then of row l / 4 + 8, with one load of 16 bytes each. The tiles of a block
// of 16 rows follow each other in the order of columns.
inline constexpr int kTileRows = 16, kTileColumns = 32, kTileElements = kTileRows * kTileColumns;

/// Index of element (row, column) of a matrix with `columns` columns, a multiple of 32.
SPECLAB_HOST_DEVICE constexpr std::int64_t packed_index(std::int64_t row, std::int64_t column,
                                                        std::int64_t columns) {
  const std::int64_t tile = row / kTileRows * (columns / kTileColumns) + column / kTileColumns;
  const std::int64_t half = row % kTileRows / 8, lane = row % 8 * 4 + column % kTileColumns / 8;
  return tile * kTileElements + half * 256 + lane * 8 + column % 8;
}

/// What follows a tile: the next columns of its block of rows, as packed_index has it, or the same
/// columns of the next block.
enum class TileOrder { by_block, by_columns };

/// Place of a tile among all. @param tile  of the block's `tiles`
SPECLAB_HOST_DEVICE constexpr std::int64_t tile_at(TileOrder order, std::int64_t block,
                                                   std::int64_t tile, std::int64_t blocks,
                                                   std::int64_t tiles) {
  return order == TileOrder::by_block ? block * tiles + tile : tile * blocks + block;
}

// Rows that an epilogue needs together are r and r + 8 of a block.

/// Row of the stacked query, key and value matrix that stands at packed row `row`: of queries and
/// keys the two halves of a rotary pair, of values the natural order.
constexpr std::int64_t query_key_value_row(std::int64_t row, std::int64_t rotated_rows,
                                           std::int64_t head_dim) {
  if (row >= rotated_rows) return row;
  const std::int64_t head = row / head_dim, block = row % head_dim / kTileRows,
                     within = row % kTileRows;
  return head * head_dim + block * 8 + within % 8 + (within < 8 ? 0 : head_dim / 2);
}

/// Row of the stacked gate and up matrix that stands at packed row `row`: a gate's row and its up
/// row.
constexpr std::int64_t gate_up_row(std::int64_t row, std::int64_t intermediate) {
  const std::int64_t within = row % kTileRows;
  return row / kTileRows * 8 + within % 8 + (within < 8 ? 0 : intermediate);
}

}  // namespace speclab::engines::cuda
