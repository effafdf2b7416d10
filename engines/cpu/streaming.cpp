#include "engines/cpu/streaming.h"

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

StreamedMatrices::StreamedMatrices(const DecoderShape& shape, const DecoderWeights& weights,
                                   const StreamPlan& plan)
    : shape_(shape), first_layer_(plan.num_resident_layers()), head_rows_(plan.head_pieces()) {
  for (std::int32_t layer = first_layer_; layer < shape.num_layers; ++layer) {
    places_.push_back(layer_places(shape, weights, layer));
    pieces_.push_back(piece_of(places_.back()));
  }
  for (const RowPlaces& rows : head_rows_) pieces_.push_back(StreamPiece({&rows, 1}));
  stream_ = std::make_shared<WeightStream>(pieces_);
}

PackedMatrix StreamedMatrices::matrix(std::int32_t layer, std::initializer_list<TensorRole> roles,
                                      std::vector<PackedMatrix::Part> parts,
                                      StreamedColumns::Order order) const {
  const int piece = layer - first_layer_;
  const auto at = static_cast<std::size_t>(piece);
  std::vector<StreamedColumns::Side> sides;
  for (const TensorRole role : roles)
    sides.push_back(side_of(places_[at].at(role), pieces_[at], piece));
  const auto depth = static_cast<int>(shape_of(*roles.begin(), shape_).back());
  return {std::move(parts), depth,
          std::make_shared<StreamedColumns>(stream_, std::move(sides), order, depth)};
}

PackedMatrix StreamedMatrices::head(WeightForm form) const {
  std::vector<StreamedColumns::Side> sides;
  for (std::size_t i = 0; i < head_rows_.size(); ++i) {
    const std::size_t piece = places_.size() + i;
    sides.push_back(side_of(head_rows_[i], pieces_[piece], static_cast<int>(piece)));
  }
  const int depth = shape_.table_width();
  return {{{form, shape_.num_logits()}},
          depth,
          std::make_shared<StreamedColumns>(stream_, std::move(sides),
                                            StreamedColumns::Order::beside, depth)};
}

Streaming StreamedMatrices::streaming(RowReader embedding_rows) const {
  Streaming streaming{stream_, first_layer_, {}, std::move(embedding_rows)};
  int block = 0;
  for (const RowPlaces& rows : head_rows_) {
    const int blocks = (static_cast<int>(rows.rows.size()) + kBlockColumns - 1) / kBlockColumns;
    streaming.head_pieces.push_back({block, blocks});
    block += blocks;
  }
  return streaming;
}

}  // namespace speclab::engines::cpu
