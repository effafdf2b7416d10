#include "engines/cpu/packed_matrix.h"

#include <algorithm>
#include <cstring>

#include "engines/cpu/bfloat16.h"
#include "engines/cpu/low_bit_packing.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

constexpr int kHalfBlock = kBlockColumns / 2;  ///< columns of gate beside as many of up

/// Distance of neighbours in the depth, in elements; bfloat16 stands in pairs.
template <typename Put>
void for_each_bfloat16(std::int64_t depth, int column, const Put& put) {
  for (std::int64_t k = 0; k < depth; ++k)
    put(k, (k & ~std::int64_t{1}) * kBlockColumns + 2 * column + (k & 1));
}

/// Pairs of neighbours in the depth. A part of them is rounded by vectors before it is spread.
void pack_bfloat16(std::span<const float> values, BFloat16* out) {
  constexpr std::size_t kPart = 64;
  constexpr std::size_t kPairBytes = 2 * sizeof(BFloat16);
  BFloat16 part[kPart];
  while (!values.empty()) {
    const std::size_t count = std::min(kPart, values.size());
    for (std::size_t i = 0; i < count; ++i) part[i] = to_bfloat16(values[i]);
    for (std::size_t i = 0; i < count; i += 2, out += 2 * kBlockColumns)
      std::memcpy(out, part + i, kPairBytes);
    values = values.subspan(count);
  }
}

}  // namespace

void pack_values(WeightForm form, std::span<const float> values, char* block, int column) {
  const auto depth = static_cast<std::int64_t>(values.size());
  if (form == WeightForm::float32) {
    float* out = reinterpret_cast<float*>(block) + column;
    for (std::int64_t k = 0; k < depth; ++k)
      out[k * kBlockColumns] = values[static_cast<std::size_t>(k)];
  } else {
    pack_bfloat16(values, reinterpret_cast<BFloat16*>(block) + 2 * column);
  }
}

PackedMatrix::PackedMatrix(std::vector<Part> parts, int depth)
    : parts_(std::move(parts)), depth_(depth) {
  set_sizes();
  data_ = make_weight_buffer(static_cast<std::size_t>(bytes()));
  place_parts();
}

PackedMatrix::PackedMatrix(std::vector<Part> parts, int depth,
                           std::shared_ptr<const BlockSource> source)
    : parts_(std::move(parts)), depth_(depth), source_(std::move(source)) {
  set_sizes();
  place_parts();
}

void PackedMatrix::set_sizes() {
  for (const Part& part : parts_) {
    SPECLAB_EXPECT(part.columns > 0 && columns_ % kBlockColumns == 0,
                   "parts of a matrix are whole blocks of columns");
    SPECLAB_EXPECT(depth_ > 0 && depth_ % (cpu::is_low_bit(part.form) ? kGroupDepth : 2) == 0,
                   "a packed matrix has an even depth, whole groups of low-bit weights");
    columns_ += part.columns;
  }
}

std::int64_t PackedMatrix::bytes() const {
  std::int64_t bytes = 0;
  for (const Part& part : parts_) bytes += data_bytes(part.form, part.columns, depth_);
  return bytes;
}

std::int64_t PackedMatrix::data_bytes(WeightForm form, std::int64_t columns, std::int64_t depth) {
  return (columns + kBlockColumns - 1) / kBlockColumns * block_bytes(form, depth);
}

std::int64_t PackedMatrix::memory_bytes(std::span<const Part> parts, std::int64_t depth) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += data_bytes(part.form, part.columns, depth);
  return static_cast<std::int64_t>(weight_buffer_bytes(static_cast<std::size_t>(bytes)));
}

void PackedMatrix::place_parts() {
  const char* data = static_cast<const char*>(data_.get());
  int block = 0;
  for (const Part& part : parts_) {
    placed_.push_back({part.form, block, block + blocks_of(part.columns), data});
    block = placed_.back().end_block;
    if (data != nullptr) data += data_bytes(part.form, part.columns, depth_);
  }
}

PackedMatrix::ColumnPlace PackedMatrix::place_of(int column) const {
  SPECLAB_EXPECT(column >= 0 && column < columns_ && data_, "a column that the matrix holds");
  char* data = static_cast<char*>(data_.get());
  for (const Part& part : parts_) {
    if (column < part.columns)
      return {part.form, data + column / kBlockColumns * block_bytes(part.form, depth_),
              column % kBlockColumns};
    column -= part.columns;
    data += data_bytes(part.form, part.columns, depth_);
  }
  throw ContractError("a column of a part");
}

void PackedMatrix::put(int column, const float* weights) {
  const ColumnPlace place = place_of(column);
  SPECLAB_EXPECT(!cpu::is_low_bit(place.form), "stored rows for low-bit columns");
  pack_values(place.form, {weights, static_cast<std::size_t>(depth_)}, place.block, place.column);
}

void PackedMatrix::put(int column, StoredRows rows, int first_row, int count) {
  const ColumnPlace place = place_of(column);
  SPECLAB_EXPECT(cpu::is_low_bit(place.form) && place.column + count <= kBlockColumns,
                 "stored rows for low-bit columns of one block");
  const std::byte* pointers[kBlockColumns];
  for (int i = 0; i < count; ++i)
    pointers[i] = rows.bytes.data() + std::int64_t{first_row + i} * rows.row_bytes;
  pack_columns(place.form, {pointers, static_cast<std::size_t>(count)}, rows.row_bytes, place.block,
               place.column);
}

void PackedMatrix::set_columns(int first_column, std::span<const float> weights) {
  const int count = static_cast<int>(weights.size() / static_cast<std::size_t>(depth_));
  for (int c = 0; c < count; ++c)
    put(first_column + c, weights.data() + static_cast<std::int64_t>(c) * depth_);
}

void PackedMatrix::set_columns(int first_column, StoredRows rows) {
  const int count = static_cast<int>(static_cast<std::int64_t>(rows.bytes.size()) / rows.row_bytes);
  for (int row = 0; row < count;) {
    const int column = first_column + row;
    const int in_block = std::min(kBlockColumns - column % kBlockColumns, count - row);
    put(column, rows, row, in_block);
    row += in_block;
  }
}

void PackedMatrix::set_gate_up(std::span<const float> gate, std::span<const float> up) {
  SPECLAB_EXPECT(
      gate.size() == up.size() &&
          gate.size() * 2 == static_cast<std::size_t>(columns_) * static_cast<std::size_t>(depth_),
      "gate and up are halves of the matrix");
  for (int row = 0; row < columns_ / 2; ++row) {
    const int column = row / kHalfBlock * kBlockColumns + row % kHalfBlock;
    put(column, gate.data() + std::int64_t{row} * depth_);
    put(column + kHalfBlock, up.data() + std::int64_t{row} * depth_);
  }
}

void PackedMatrix::set_gate_up(StoredRows gate, StoredRows up) {
  SPECLAB_EXPECT(gate.bytes.size() == up.bytes.size() && gate.row_bytes == up.row_bytes,
                 "gate and up are halves of the matrix");
  for (int row = 0; row < columns_ / 2; row += kHalfBlock) {
    const int count = std::min(kHalfBlock, columns_ / 2 - row);
    put(2 * row, gate, row, count);
    put(2 * row + kHalfBlock, up, row, count);
  }
}

void PackedMatrix::read_column(int column, float* out) const {
  const ColumnPlace place = place_of(column);
  if (cpu::is_low_bit(place.form))
    return unpack_column(place.form, place.block, place.column, depth_, out);
  if (place.form == WeightForm::float32) {
    const float* in = reinterpret_cast<const float*>(place.block) + place.column;
    for (std::int64_t k = 0; k < depth_; ++k) out[k] = in[k * kBlockColumns];
  } else {
    const auto* in = reinterpret_cast<const BFloat16*>(place.block);
    for_each_bfloat16(depth_, place.column,
                      [&](std::int64_t k, std::int64_t at) { out[k] = from_bfloat16(in[at]); });
  }
}

PackedMatrix packed(WeightForm form, int columns, int depth, std::span<const float> weights) {
  PackedMatrix matrix(form, columns, depth);
  matrix.set_columns(0, weights);
  return matrix;
}

PackedMatrix packed(WeightForm form, int columns, int depth, StoredRows rows) {
  PackedMatrix matrix(form, columns, depth);
  matrix.set_columns(0, rows);
  return matrix;
}

}  // namespace speclab::engines::cpu
