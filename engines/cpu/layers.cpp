// The order of a layer: attention, then the feed-forward or experts; norms and sums between them.

#include <algorithm>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

/// Moves the residual stream of the rows that go on to the front.
void keep_rows_going_on(const Worker& worker) {
  const std::vector<std::int32_t>& going_on = worker.room.going_on;
  for (std::size_t i = 0; i < going_on.size(); ++i)
    std::copy_n(worker.stream(going_on[i]), worker.model.widths.hidden,
                worker.stream(static_cast<std::int64_t>(i)));
}

/// Adds a block's last product to the residual stream, behind its norm and multiplier.
void add_block(const Worker& worker, const Linear& linear, const void* in, const Norm& output_norm,
               int rows) {
  const auto& [model, room, rank] = worker;
  const std::int32_t hidden = model.widths.hidden;
  if (!output_norm.is_there() && model.shape.residual_scale == 1.0f) {
    multiply(worker, linear, {in, rows, room.x.data(), hidden, Epilogue::add});
  } else {
    multiply(worker, linear, {in, rows, room.block.data(), hidden});
    worker.barrier();
    finish_block(worker, output_norm, rows);
  }
  worker.barrier();
}

void feed_forward(const Worker& worker, const Layer& layer, int rows) {
  const auto& [model, room, rank] = worker;
  multiply(worker, layer.first,
           {room.normed.data(), rows, room.inner.data(), model.widths.inner,
            first_epilogue(model.shape)});
  worker.barrier();
  add_block(worker, layer.down, room.inner.data(), layer.feed_forward_output_norm, rows);
}

/// Every row leaves its key and value in the last layer too; only rows whose result is wanted go on
/// from there.
void run_layer(const Worker& worker, std::int32_t l) {
  const auto& [model, room, rank] = worker;
  const DecoderShape& shape = model.shape;
  const Layer& layer = model.layers[static_cast<std::size_t>(l)];
  const bool is_last = l + 1 == shape.num_layers;
  const int going_on = is_last ? static_cast<int>(room.going_on.size()) : worker.num_rows();
  project_heads(worker, l);
  if (going_on == 0) return;
  if (is_last && rank == 0) keep_rows_going_on(worker);
  attend(worker, l);
  const Norm& norm = shape.shared_norm ? layer.attention_norm : layer.feed_forward_norm;
  if (shape.parallel) {
    norm_rows(worker, going_on, norm);
    worker.barrier();
  }
  add_block(worker, layer.attention_output, room.attended.data(), layer.attention_output_norm,
            going_on);
  if (!shape.parallel) {
    norm_rows(worker, going_on, norm);
    worker.barrier();
  }
  if (has_experts(shape, l))
    run_experts(worker, layer, going_on);
  else
    feed_forward(worker, layer, going_on);
}

/// The residual stream, which the next layer adds to only behind its first barriers.
/// @param place  among the states of a row, the last one's being 0
void copy_stream(const Worker& worker, std::size_t place) {
  const auto& [model, room, rank] = worker;
  const std::int32_t size = model.shape.counting_width();
  const Range range = worker.share(static_cast<int>(room.hidden_rows.size()));
  for (int i = range.begin; i < range.end; ++i) {
    const std::int32_t row =
        room.going_on[static_cast<std::size_t>(room.hidden_rows[static_cast<std::size_t>(i)])];
    std::copy_n(worker.stream(row), size,
                room.hidden.data() + std::int64_t{i} * model.state_size() +
                    static_cast<std::int64_t>(place) * size);
  }
}

}  // namespace

NormArgs norm_args(const DecoderShape& shape, const Norm& norm, std::int32_t size) {
  return {.kind = shape.norm,
          .weight = norm.weight.data(),
          .bias = norm.bias.empty() ? nullptr : norm.bias.data(),
          .size = size,
          .epsilon = shape.norm_epsilon};
}

NormArgs stream_norm_args(const DecoderShape& shape, const Norm& norm) {
  NormArgs args = norm_args(shape, norm, shape.counting_width());
  args.width = args.size < shape.hidden_size ? shape.hidden_size : 0;
  return args;
}

void norm_rows(const Worker& worker, int rows, const Norm& norm) {
  const auto& [model, room, rank] = worker;
  NormArgs args = stream_norm_args(model.shape, norm);
  args.type = model.type;
  const Range range = worker.share(rows);
  for (int r = range.begin; r < range.end; ++r) {
    args.x = worker.stream(r);
    args.out = worker.activation(room.normed, std::int64_t{r} * model.widths.hidden);
    if (norm.is_there())
      room.kernels->norm(args);
    else
      room.kernels->convert(args.x, model.widths.hidden, model.type, args.out);
  }
}

void finish_block(const Worker& worker, const Norm& output_norm, int rows) {
  const auto& [model, room, rank] = worker;
  const std::int32_t hidden = model.widths.hidden;
  const float scale = model.shape.residual_scale;
  const bool norms_sum = model.shape.norm_place == NormPlace::after_sum;
  const Range range = worker.share(rows);
  const NormArgs args = stream_norm_args(model.shape, output_norm);
  for (int r = range.begin; r < range.end; ++r) {
    float* x = worker.stream(r);
    float* added = room.block.data() + std::int64_t{r} * hidden;
    if (output_norm.is_there() && !norms_sum) norm_in_place(*room.kernels, args, added);
    for (std::int32_t i = 0; i < hidden; ++i) x[i] += scale * added[i];
    if (output_norm.is_there() && norms_sum) norm_in_place(*room.kernels, args, x);
  }
}

/// All threads leave a streamed layer behind a barrier, so its piece is free then.
void run_layers(const Worker& worker) {
  const PackedDecoder& model = worker.model;
  Streaming* streaming = model.streaming.get();
  for (std::int32_t l = 0; l < model.shape.num_layers; ++l) {
    const bool is_streamed = streaming != nullptr && l >= streaming->first_layer;
    if (is_streamed) streaming->stream->wait(l - streaming->first_layer);
    run_layer(worker, l);
    if (is_streamed && worker.rank == 0) streaming->stream->done(l - streaming->first_layer);
    for (std::size_t i = 0; i < model.state_layers.size(); ++i)
      if (model.state_layers[i] == l) copy_stream(worker, i + 1);
  }
}

}  // namespace speclab::engines::cpu
