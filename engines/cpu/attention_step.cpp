// Attention: queries, keys and values of every row, then each head's look at the cache.

#include <algorithm>
#include <array>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

struct HeadTask {
  int row, out_row;  ///< in the forward, in the attended rows
  int head;
};

void norm_head(const Worker& worker, const HeadNorms& norms, int head, float* values) {
  const DecoderShape& shape = worker.model.shape;
  const bool is_query = head < shape.num_heads;
  const int place = shape.head_norm == HeadNorm::own ? head - (is_query ? 0 : shape.num_heads) : 0;
  NormArgs args = norm_args(shape, is_query ? norms.query : norms.key, shape.head_dim);
  args.weight += std::int64_t{place} * worker.model.widths.head;
  if (args.bias != nullptr) args.bias += std::int64_t{place} * worker.model.widths.head;
  norm_in_place(*worker.room.kernels, args, values);
}

/// Norms that see all heads of a row at once.
void norm_all_heads(const Worker& worker, const HeadNorms& norms) {
  const auto& [model, room, rank] = worker;
  const Widths& widths = model.widths;
  const Range range = worker.share(worker.num_rows());
  NormArgs of_queries = norm_args(model.shape, norms.query, model.shape.query_size()),
           of_keys = norm_args(model.shape, norms.key, model.shape.kv_size());
  of_queries.width = widths.query;
  of_keys.width = widths.key;
  for (int r = range.begin; r < range.end; ++r) {
    float* query = room.projected.data() + r * widths.projected();
    norm_in_place(*room.kernels, of_queries, query);
    norm_in_place(*room.kernels, of_keys, query + widths.query);
  }
}

const PlacedRow& placed(const Workspace& room, int row) {
  return room.cache->plan().rows()[static_cast<std::size_t>(row)];
}

/// Rotates queries in place and keys on their way into the cache, behind their norms.
void rotate_and_store(const Worker& worker, std::int32_t layer) {
  const auto& [model, room, rank] = worker;
  const DecoderShape& shape = model.shape;
  const Widths& widths = model.widths;
  const int heads = shape.num_heads + shape.num_kv_heads;
  const HeadNorms& norms = model.layers[static_cast<std::size_t>(layer)].head_norms;
  const bool norms_heads = shape.head_norm == HeadNorm::shared || shape.head_norm == HeadNorm::own;
  const RotationTable& rotation = rotary_base_of(shape, layer) == RotaryBase::window
                                      ? room.window_rotation
                                      : room.global_rotation;
  float* turned = worker.scratch().head.data();
  const Range range = worker.share(worker.num_rows() * heads);
  for (int i = range.begin; i < range.end; ++i) {
    const int row = i / heads, head = i % heads;
    float* in = room.projected.data() + row * widths.projected() + std::int64_t{head} * widths.head;
    if (norms_heads) norm_head(worker, norms, head, in);
    rotation.rotate(in, room.rows[static_cast<std::size_t>(row)].position, widths.head, turned);
    if (head < shape.num_heads)
      std::copy_n(turned, widths.head, in);
    else
      room.cache->store(layer, placed(room, row).sequence, head - shape.num_heads,
                        placed(room, row).slot, turned, in + widths.key);
  }
}

std::int32_t kv_head(const DecoderShape& shape, int head) {
  return head / (shape.num_heads / shape.num_kv_heads);
}

bool same_keys(const Worker& worker, const HeadTask& a, const HeadTask& b) {
  const DecoderShape& shape = worker.model.shape;
  return placed(worker.room, a.row).sequence == placed(worker.room, b.row).sequence &&
         kv_head(shape, a.head) == kv_head(shape, b.head);
}

/// @param window  positions that the row sees, 0: all. Those positions stand in order.
AttendQuery query_of(const Worker& worker, const HeadTask& task, std::int32_t window,
                     float* weighted) {
  const auto& [model, room, rank] = worker;
  const PlacedRow& row = placed(room, task.row);
  const int hidden = row.prefix + row.extra_count - window;
  return {.query = room.projected.data() + task.row * model.widths.projected() +
                   std::int64_t{task.head} * model.widths.head,
          .prefix = row.prefix,
          .extra = room.cache->plan().extra(row).data(),
          .num_extra = row.extra_count,
          .begin = window > 0 ? std::max(hidden, 0) : 0,
          .weighted = weighted};
}

/// Attention of tasks that look at the same keys and values.
void attend_heads(const Worker& worker, std::int32_t layer, std::span<const HeadTask> tasks) {
  const auto& [model, room, rank] = worker;
  const DecoderShape& shape = model.shape;
  const std::int32_t width = model.widths.head;
  const std::int32_t head = kv_head(shape, tasks[0].head);
  Scratch& scratch = worker.scratch();
  const std::int32_t sequence = placed(room, tasks[0].row).sequence;
  std::array<AttendQuery, kMaxAttendQueries> queries{};
  AttendArgs args{.queries = queries.data(),
                  .num_queries = static_cast<int>(tasks.size()),
                  .cache_type = model.numbers.cache,
                  .keys = room.cache->keys(layer, sequence, head),
                  .values = room.cache->values(layer, sequence, head),
                  .head_dim = width,
                  .num_slots = 0,
                  .scale = score_scale(shape),
                  .soft_cap = shape.attention_soft_cap,
                  .scores = scratch.scores.data()};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    queries[i] = query_of(worker, tasks[i], window_of(shape, layer),
                          scratch.weighted.data() + static_cast<std::int64_t>(i) * width);
    const int seen =
        queries[i].num_extra > 0 ? room.cache->plan().slots_in_use(sequence) : queries[i].prefix;
    args.num_slots = std::max(args.num_slots, seen);
  }
  room.kernels->attend(args);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    room.kernels->convert(
        queries[i].weighted, width, model.type,
        worker.activation(room.attended, std::int64_t{tasks[i].out_row} * model.widths.query +
                                             std::int64_t{tasks[i].head} * width));
}

/// Heads outside, rows inside, so that neighbours look at the same keys and values; those go
/// together.
void attend_range(const Worker& worker, std::int32_t layer, bool is_last, int rows, Range range) {
  std::array<HeadTask, kMaxAttendQueries> tasks{};
  std::size_t count = 0;
  for (int i = range.begin; i < range.end; ++i) {
    const int out_row = i % rows;
    const HeadTask task{is_last ? worker.room.going_on[static_cast<std::size_t>(out_row)] : out_row,
                        out_row, i / rows};
    if (count == tasks.size() || (count > 0 && !same_keys(worker, tasks[0], task))) {
      attend_heads(worker, layer, std::span(tasks).first(count));
      count = 0;
    }
    tasks[count++] = task;
  }
  if (count > 0) attend_heads(worker, layer, std::span(tasks).first(count));
}

}  // namespace

void project_heads(const Worker& worker, std::int32_t l) {
  const auto& [model, room, rank] = worker;
  const Layer& layer = model.layers[static_cast<std::size_t>(l)];
  norm_rows(worker, worker.num_rows(), layer.attention_norm);
  worker.barrier();
  multiply(
      worker, layer.query_key_value,
      {room.normed.data(), worker.num_rows(), room.projected.data(), model.widths.projected()});
  worker.barrier();
  if (model.shape.head_norm == HeadNorm::all_heads) {
    norm_all_heads(worker, layer.head_norms);
    worker.barrier();
  }
  rotate_and_store(worker, l);
  worker.barrier();
}

void attend(const Worker& worker, std::int32_t layer) {
  const bool is_last = layer + 1 == worker.model.shape.num_layers;
  const int rows = is_last ? static_cast<int>(worker.room.going_on.size()) : worker.num_rows();
  worker.deal(rows, rows * worker.model.shape.num_heads, kMaxAttendQueries,
              [&](Range range) { attend_range(worker, layer, is_last, rows, range); });
  worker.barrier();
}

}  // namespace speclab::engines::cpu
