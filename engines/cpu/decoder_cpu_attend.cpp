#include <algorithm>
#include <array>

#include "engines/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {

void DecoderCpu::norm_head(const HeadNorms& norms, int head, float* values) const {
  const bool is_query = head < config_.num_heads;
  const Norm& norm = is_query ? norms.query : norms.key;
  const int place =
      config_.head_norm == HeadNorm::own ? head - (is_query ? 0 : config_.num_heads) : 0;
  NormArgs args = norm_args(norm, config_.head_dim);
  args.weight += std::int64_t{place} * widths_.head;
  if (args.bias != nullptr) args.bias += std::int64_t{place} * widths_.head;
  args.x = values;
  args.out = values;
  kernels_->norm(args);
}

/// Norms that see all heads of a row at once.
void DecoderCpu::norm_all_heads(int rank, const HeadNorms& norms) {
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    float* query = projected_.data() + r * projected_width();
    NormArgs args = norm_args(norms.query, config_.query_size());
    args.width = widths_.query;
    args.x = query;
    args.out = query;
    kernels_->norm(args);
    args = norm_args(norms.key, config_.kv_size());
    args.width = widths_.key;
    args.x = query + widths_.query;
    args.out = query + widths_.query;
    kernels_->norm(args);
  }
}

/// Rotates queries in place and keys on their way into the cache, behind their norms.
void DecoderCpu::rotate_and_store(int rank, std::int32_t layer) {
  const int heads = config_.num_heads + config_.num_kv_heads;
  const HeadNorms& norms = layers_[static_cast<std::size_t>(layer)].head_norms;
  const bool norms_heads =
      config_.head_norm == HeadNorm::shared || config_.head_norm == HeadNorm::own;
  const RotationTable& rotation =
      rotary_base_of(config_, layer) == RotaryBase::window ? window_rotation_ : global_rotation_;
  float* scratch = scratch_[static_cast<std::size_t>(rank)].head.data();
  const Range range = share(static_cast<int>(rows_.size()) * heads, rank, team_->size());
  for (int i = range.begin; i < range.end; ++i) {
    const int row = i / heads, head = i % heads;
    float* in = projected_.data() + row * projected_width() + std::int64_t{head} * widths_.head;
    if (norms_heads) norm_head(norms, head, in);
    rotation.rotate(in, rows_[static_cast<std::size_t>(row)].position, widths_.head, scratch);
    if (head < config_.num_heads)
      std::copy_n(scratch, widths_.head, in);
    else
      cache_->store(layer, placed(row).sequence, head - config_.num_heads, placed(row).slot,
                    scratch, in + widths_.key);
  }
}

void DecoderCpu::attend(int rank, std::int32_t layer, bool is_last) {
  const int rows = static_cast<int>(is_last ? going_on_.size() : rows_.size());
  deal(rank, rows, rows * config_.num_heads, kMaxAttendQueries,
       [&](Range range) { attend_range(rank, layer, is_last, range); });
}

/// Heads outside, rows inside, so that neighbours look at the same keys and values; those go
/// together.
void DecoderCpu::attend_range(int rank, std::int32_t layer, bool is_last, Range range) {
  const int rows = static_cast<int>(is_last ? going_on_.size() : rows_.size());
  std::array<HeadTask, kMaxAttendQueries> tasks{};
  std::size_t count = 0;
  for (int i = range.begin; i < range.end; ++i) {
    const int out_row = i % rows;
    const HeadTask task{is_last ? going_on_[static_cast<std::size_t>(out_row)] : out_row, out_row,
                        i / rows};
    if (count == tasks.size() || (count > 0 && !same_keys(tasks[0], task))) {
      attend_heads(rank, layer, std::span(tasks).first(count));
      count = 0;
    }
    tasks[count++] = task;
  }
  if (count > 0) attend_heads(rank, layer, std::span(tasks).first(count));
}

const PlacedRow& DecoderCpu::placed(int row) const {
  return cache_->plan().rows()[static_cast<std::size_t>(row)];
}

std::int32_t DecoderCpu::kv_head(int head) const {
  return head / (config_.num_heads / config_.num_kv_heads);
}

bool DecoderCpu::same_keys(const HeadTask& a, const HeadTask& b) const {
  return placed(a.row).sequence == placed(b.row).sequence && kv_head(a.head) == kv_head(b.head);
}

/// @param window  positions that the row sees, 0: all. Those positions stand in order.
AttendQuery DecoderCpu::query_of(const HeadTask& task, std::int32_t window, float* weighted) const {
  const PlacedRow& row = placed(task.row);
  const int hidden = row.prefix + row.extra_count - window;
  return {.query = projected_.data() + task.row * projected_width() +
                   std::int64_t{task.head} * widths_.head,
          .prefix = row.prefix,
          .extra = cache_->plan().extra(row).data(),
          .num_extra = row.extra_count,
          .begin = window > 0 ? std::max(hidden, 0) : 0,
          .weighted = weighted};
}

/// Attention of tasks that look at the same keys and values.
void DecoderCpu::attend_heads(int rank, std::int32_t layer, std::span<const HeadTask> tasks) {
  Scratch& scratch = scratch_[static_cast<std::size_t>(rank)];
  const std::int32_t sequence = placed(tasks[0].row).sequence;
  std::array<AttendQuery, kMaxAttendQueries> queries{};
  AttendArgs args{.queries = queries.data(),
                  .num_queries = static_cast<int>(tasks.size()),
                  .cache_type = numbers_.cache,
                  .keys = cache_->keys(layer, sequence, kv_head(tasks[0].head)),
                  .values = cache_->values(layer, sequence, kv_head(tasks[0].head)),
                  .head_dim = widths_.head,
                  .num_slots = 0,
                  .scale = config_.score_scale(),
                  .soft_cap = config_.attention_soft_cap,
                  .scores = scratch.scores.data()};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    queries[i] = query_of(tasks[i], config_.window_of(layer),
                          scratch.weighted.data() + static_cast<std::int64_t>(i) * widths_.head);
    const int seen =
        queries[i].num_extra > 0 ? cache_->plan().slots_in_use(sequence) : queries[i].prefix;
    args.num_slots = std::max(args.num_slots, seen);
  }
  kernels_->attend(args);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    kernels_->convert(queries[i].weighted, widths_.head, type_,
                      activation(attended_, std::int64_t{tasks[i].out_row} * widths_.query +
                                                std::int64_t{tasks[i].head} * widths_.head));
}

}  // namespace speclab::engines::cpu
