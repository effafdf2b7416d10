// The embedding and the head, the largest matrices of a small model, loaded by all threads.

#include <algorithm>
#include <optional>
#include <vector>

#include "engines/cpu/packed_decoder.h"
#include "engines/formats/dequantise.h"
#include "engines/formats/input_file.h"

namespace speclab::engines::cpu {
namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;  ///< of a file: caches hold them

/// Rows of a table that stand in one tensor in their order.
class TableRows {
 public:
  /// Nothing where they stand otherwise.
  static std::optional<TableRows> of(const Loading& from, TensorRole role) {
    const std::optional<RowPlaces> places = from.weights.row_places(role, 0);
    if (!places || places->tensors.size() != 1) return std::nullopt;
    std::int64_t next = 0;
    const bool in_order =
        std::ranges::all_of(places->rows, [&](std::int64_t row) { return row == next++; });
    if (!in_order) return std::nullopt;
    return TableRows(places->place_of(0), *places->format, places->row_bytes);
  }

  /// Whole blocks of columns whose rows are read at once.
  int piece_columns() const {
    const auto blocks = kPieceBytes / (row_bytes_ * kBlockColumns);
    return static_cast<int>(std::max<std::int64_t>(blocks, 1)) * kBlockColumns;
  }

  LowBitRows stored(int first, int count) const {
    LowBitRows rows{std::vector<std::byte>(static_cast<std::size_t>(count * row_bytes_)),
                    row_bytes_};
    place_.file->read(place_.offset + static_cast<std::uint64_t>(first * row_bytes_), rows.bytes);
    return rows;
  }
  std::vector<float> values(int first, int count) const {
    const LowBitRows rows = stored(first, count);
    std::vector<float> values(rows.bytes.size() / format_.block_bytes * format_.block_elements);
    format_.dequantise(rows.bytes, values.data());
    return values;
  }

 private:
  TableRows(RowPlaces::Place place, const BlockFormat& format, std::int64_t row_bytes)
      : place_(place), format_(format), row_bytes_(row_bytes) {}

  RowPlaces::Place place_;
  const BlockFormat& format_;
  std::int64_t row_bytes_;
};

}  // namespace

PackedMatrix load_table(const Loading& from, TensorRole role, ThreadTeam& team) {
  const MatrixForms::Sized sized = from.forms.sized(role, 0);
  const WeightForm form = sized.parts.front().form;
  const int columns = sized.parts.front().columns;
  const std::optional<TableRows> rows = TableRows::of(from, role);
  if (!rows || sized.depth != shape_of(role, from.shape).back()) return load_matrix(from, role, 0);
  PackedMatrix matrix(form, columns, static_cast<int>(sized.depth));
  const int at_once = rows->piece_columns();
  team.run([&](int rank) {
    for (int first = rank * at_once; first < columns; first += team.size() * at_once) {
      const int count = std::min(at_once, columns - first);
      if (!is_low_bit(form))
        matrix.set_columns(first, rows->values(first, count));
      else if (from.forms.quantises())
        matrix.set_columns(first, from.forms.quantised(role, rows->values(first, count)).all());
      else
        matrix.set_columns(first, rows->stored(first, count).all());
    }
  });
  return matrix;
}

}  // namespace speclab::engines::cpu
