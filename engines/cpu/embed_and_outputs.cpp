// Both ends of a forward, which read the tables: tokens to residual streams before the first layer,
// logits and hidden states behind the last.

#include <algorithm>
#include <cstring>

#include "engines/cpu/bfloat16.h"
#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

void read_embedding(const Worker& worker, std::size_t row, float* out) {
  const auto& [model, room, rank] = worker;
  const auto width = static_cast<std::ptrdiff_t>(model.widths.table);
  if (model.streaming)
    std::copy_n(room.embedded.begin() + static_cast<std::ptrdiff_t>(row) * width, width, out);
  else
    model.embedding.matrix.read_column(room.rows[row].token, out);
  if (!model.rounds_embedding) return;
  std::transform(out, out + width, out,
                 [](float value) { return from_bfloat16(to_bfloat16(value)); });
}

/// Rows of a narrow table, as a product's input.
void convert_table_rows(const Worker& worker, int rows) {
  const auto& [model, room, rank] = worker;
  const std::int32_t width = model.widths.table;
  const Range range = worker.share(rows);
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * width;
    room.kernels->convert(room.table_rows.data() + at, width, model.type,
                          worker.activation(room.normed, at));
  }
  worker.barrier();
}

/// A narrow table's rows become residual streams.
void project_embedding(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  convert_table_rows(worker, worker.num_rows());
  multiply(worker, model.embedding_projection,
           {room.normed.data(), worker.num_rows(), room.x.data(), model.widths.hidden});
  worker.barrier();
}

void add_positions(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const std::int32_t hidden = model.widths.hidden;
  const Range range = worker.share(worker.num_rows());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t position =
        room.rows[static_cast<std::size_t>(r)].position + model.shape.position_offset;
    const float* learned = model.position_embedding.data() + position * hidden;
    float* x = worker.stream(r);
    for (std::int32_t i = 0; i < hidden; ++i) x[i] += learned[i];
  }
}

/// The norms of a row's embedding and of each state of its feature, one behind the other, become
/// its residual stream.
void fuse(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const std::int32_t size = model.shape.hidden_size;
  const Range range = worker.share(worker.num_rows());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * model.fusion.matrix.depth();
    NormArgs args = norm_args(model.shape, model.embedding_norm, size);
    args.x = worker.stream(r);
    args.type = model.type;
    args.out = worker.activation(room.normed, at);
    room.kernels->norm(args);
    for (std::int32_t begin = 0; begin < model.shape.feature_size; begin += size) {
      args.x = room.rows[static_cast<std::size_t>(r)].feature + begin;
      args.weight = model.feature_norm.weight.data() + begin;
      args.out = worker.activation(room.normed, at + size + begin);
      room.kernels->norm(args);
    }
  }
  worker.barrier();
  multiply(worker, model.fusion,
           {room.normed.data(), worker.num_rows(), room.x.data(), model.widths.hidden});
}

/// The head's input in the width of a narrow table.
void project_outputs(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const int rows = static_cast<int>(room.logit_rows.size());
  multiply(worker, model.output_projection,
           {room.normed.data(), rows, room.table_rows.data(), model.widths.table});
  worker.barrier();
  convert_table_rows(worker, rows);
}

/// Each piece of a streamed head when it is there.
void project_streamed(const Worker& worker, const Linear& head, const Product& product) {
  const PackedDecoder& model = worker.model;
  WeightStream& stream = *model.streaming->stream;
  MultiplyArgs args =
      product_args(model, head, product_rows(worker, head.matrix, product), product);
  int number = model.shape.num_layers - model.streaming->first_layer;
  for (const Streaming::HeadPiece& piece : model.streaming->head_pieces) {
    stream.wait(number);
    worker.deal(product.rows, piece.num_blocks, 1, [&](Range blocks) {
      args.block_begin = piece.first_block + blocks.begin;
      args.block_end = piece.first_block + blocks.end;
      run_product(worker, head.matrix, args);
    });
    worker.barrier();
    if (worker.rank == 0) stream.done(number);
    ++number;
  }
}

void scale_logits(const Worker& worker) {
  const DecoderShape& shape = worker.model.shape;
  const float scale = shape.logit_scale;
  const Range range = worker.share(shape.num_logits());
  for (std::size_t r = 0; r < worker.room.logit_rows.size(); ++r) {
    float* row = worker.room.logits.data() + static_cast<std::int64_t>(r) * shape.num_logits();
    for (int i = range.begin; i < range.end; ++i) row[i] *= scale;
    if (shape.logit_soft_cap > 0)
      worker.room.kernels->soft_cap(row + range.begin, range.end - range.begin,
                                    shape.logit_soft_cap);
  }
}

/// The head's input, in float32.
void copy_hidden(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const std::int32_t size = model.shape.counting_width();
  const Range range = worker.share(static_cast<int>(room.hidden_rows.size()));
  for (int i = range.begin; i < range.end; ++i) {
    const std::int64_t row = room.hidden_rows[static_cast<std::size_t>(i)];
    const void* from = worker.activation(room.normed, row * model.widths.hidden);
    float* to = room.hidden.data() + std::int64_t{i} * model.state_size();
    if (model.type == ElementType::float32)
      std::copy_n(static_cast<const float*>(from), size, to);
    else
      std::transform(static_cast<const BFloat16*>(from), static_cast<const BFloat16*>(from) + size,
                     to, from_bfloat16);
  }
}

/// Moves the normed rows that want logits to the front.
void keep_logit_rows(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const std::int64_t hidden = model.widths.hidden;
  for (std::size_t i = 0; i < room.logit_rows.size(); ++i)
    std::memmove(worker.activation(room.normed, static_cast<std::int64_t>(i) * hidden),
                 worker.activation(room.normed, room.logit_rows[i] * hidden),
                 static_cast<std::size_t>(hidden * element_bytes(model.type)));
}

}  // namespace

void embed(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const DecoderShape& shape = model.shape;
  const std::int32_t width = model.widths.table;
  const bool is_projected = shape.embedding_size > 0;
  const Range range = worker.share(worker.num_rows());
  for (int r = range.begin; r < range.end; ++r) {
    float* out = is_projected ? room.table_rows.data() + std::int64_t{r} * width : worker.stream(r);
    read_embedding(worker, static_cast<std::size_t>(r), out);
    if (shape.embedding_scale != 1.0f)
      for (std::int32_t i = 0; i < width; ++i) out[i] *= shape.embedding_scale;
  }
  if (is_projected) project_embedding(worker);
  if (shape.positions == Positions::learned) add_positions(worker);
  if (shape.is_feature_transformer()) fuse(worker);
  worker.barrier();
}

void compute_outputs(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const DecoderShape& shape = model.shape;
  norm_rows(worker, static_cast<int>(room.going_on.size()), model.output_norm);
  worker.barrier();
  copy_hidden(worker);
  if (room.logit_rows.size() < room.going_on.size()) {
    worker.barrier();
    if (rank == 0) keep_logit_rows(worker);
    worker.barrier();
  }
  if (room.logit_rows.empty()) return;
  if (shape.embedding_size > 0) project_outputs(worker);
  const int rows = static_cast<int>(room.logit_rows.size());
  const Linear& head = model.head_product();
  const Product product{room.normed.data(), rows, room.logits.data(), shape.num_logits()};
  if (model.streaming)
    project_streamed(worker, head, product);
  else
    multiply(worker, head, product);
  if (shape.logit_scale == 1.0f && shape.logit_soft_cap == 0) return;
  worker.barrier();
  scale_logits(worker);
}

}  // namespace speclab::engines::cpu
