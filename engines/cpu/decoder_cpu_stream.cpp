// Layers and a head that are read from their file at every forward.

#include <algorithm>

#include "engines/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {

std::optional<StreamPlan> DecoderCpu::stream_plan(const DecoderShape& shape,
                                                  const DecoderWeights& weights,
                                                  const NumberForms& numbers) {
  if (!numbers.resident_bytes) return std::nullopt;
  return StreamPlan(shape, weights, MatrixForms(shape, weights, numbers), *numbers.resident_bytes);
}

/// The layers behind those in memory, then the head.
void DecoderCpu::load_streamed(const Loading& from, const StreamPlan& plan) {
  std::vector<RolePlaces> places;
  std::vector<StreamPiece> pieces;
  for (std::int32_t layer = first_streamed_; layer < config_.num_layers; ++layer) {
    places.push_back(layer_places(config_, from.weights, layer));
    pieces.push_back(piece_of(places.back()));
  }
  for (const RowPlaces& rows : plan.head_pieces()) pieces.push_back(StreamPiece({&rows, 1}));
  stream_ = std::make_shared<WeightStream>(pieces);
  for (int number = 0; number < static_cast<int>(places.size()); ++number) {
    const auto at = static_cast<std::size_t>(number);
    const StreamedLayer streamed{std::move(places[at]), &pieces[at], number};
    const Loading of_layer{from.weights, from.forms, &streamed};
    layers_[static_cast<std::size_t>(first_streamed_ + number)] =
        load_layer(of_layer, first_streamed_ + number);
  }
  open_head(from, plan, std::span(pieces).subspan(places.size()));
}

/// @param pieces  of the head
void DecoderCpu::open_head(const Loading& from, const StreamPlan& plan,
                           std::span<const StreamPiece> pieces) {
  using enum TensorRole;
  std::vector<StreamedColumns::Side> sides;
  int block = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const int number = stream_->num_pieces() - static_cast<int>(pieces.size() - i);
    sides.push_back(side_of(plan.head_pieces()[i], pieces[i], number));
    const int blocks = (sides.back().columns + kBlockColumns - 1) / kBlockColumns;
    head_pieces_.push_back({block, blocks});
    block += blocks;
  }
  const TensorRole role = config_.head_is_embedding() ? embedding : head;
  Linear& linear = config_.head_is_embedding() ? embedding_ : head_;
  const int depth = config_.table_width();
  linear.matrix =
      PackedMatrix({{from.forms.of(role, 0), config_.num_logits()}}, depth,
                   std::make_shared<StreamedColumns>(stream_, std::move(sides),
                                                     StreamedColumns::Order::beside, depth));
  embedding_rows_.emplace(table_places(config_, from.weights, embedding));
}

PackedMatrix DecoderCpu::streamed_matrix(const Loading& from, std::span<const TensorRole> roles,
                                         std::vector<PackedMatrix::Part> parts,
                                         StreamedColumns::Order order) const {
  const StreamedLayer& layer = *from.streamed;
  std::vector<StreamedColumns::Side> sides;
  for (const TensorRole role : roles)
    sides.push_back(side_of(layer.places.at(role), *layer.piece, layer.number));
  const auto depth = static_cast<int>(shape_of(roles.front(), config_).back());
  return {std::move(parts), depth,
          std::make_shared<StreamedColumns>(stream_, std::move(sides), order, depth)};
}

/// All ranks leave the layer behind a barrier, so its piece is free then.
void DecoderCpu::run_streamed_layer(int rank, std::int32_t layer) {
  const int piece = layer - first_streamed_;
  stream_->wait(piece);
  run_layer(rank, layer);
  if (rank == 0) stream_->done(piece);
}

/// Rows of the table, read before the team starts: a thread of it must not fail.
void DecoderCpu::read_streamed_embeddings() {
  const auto width = static_cast<std::size_t>(widths_.table);
  embedded_.resize(rows_.size() * width);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    embedding_rows_->read(rows_[r].token, embedded_.data() + r * width);
}

void DecoderCpu::project_streamed(int rank, const Linear& head, int rows) {
  MultiplyArgs args =
      product_args(head.matrix, head_.bias, product_rows(rank, head.matrix, normed_.data(), rows),
                   rows, logits_.data(), config_.num_logits(), Epilogue::store);
  int number = config_.num_layers - first_streamed_;
  for (const HeadPiece& piece : head_pieces_) {
    stream_->wait(number);
    deal(rank, rows, piece.num_blocks, 1, [&](Range blocks) {
      args.block_begin = piece.first_block + blocks.begin;
      args.block_end = piece.first_block + blocks.end;
      run_product(rank, head.matrix, args);
    });
    team_->barrier();
    if (rank == 0) stream_->done(number);
    ++number;
  }
}

}  // namespace speclab::engines::cpu
