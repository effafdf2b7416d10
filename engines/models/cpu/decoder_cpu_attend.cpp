#include <algorithm>
#include <array>
#include <cmath>

#include "engines/models/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {

void DecoderCpu::rotate(const float* in, std::int32_t position, float* out) const {
  const std::int32_t half = config_.head_dim / 2;
  const float* cosine = rope_.data() + std::int64_t{position} * config_.head_dim;
  const float* sine = cosine + half;
  for (std::int32_t i = 0; i < half; ++i) {
    out[i] = in[i] * cosine[i] - in[i + half] * sine[i];
    out[i + half] = in[i + half] * cosine[i] + in[i] * sine[i];
  }
}

/// Rotates queries in place and keys on their way into the cache.
void DecoderCpu::rotate_and_store(int rank, std::int32_t layer) {
  const int heads = config_.num_heads + config_.num_kv_heads;
  const std::int64_t width = config_.query_size() + 2 * config_.kv_size();
  float* scratch = scratch_[static_cast<std::size_t>(rank)].head.data();
  const Range range = share(static_cast<int>(rows_.size()) * heads, rank, team_->size());
  for (int i = range.begin; i < range.end; ++i) {
    const int row = i / heads, head = i % heads;
    const PlacedRow& placed = cache_->plan().rows()[static_cast<std::size_t>(row)];
    float* in = projected_.data() + row * width + std::int64_t{head} * config_.head_dim;
    rotate(in, rows_[static_cast<std::size_t>(row)].position, scratch);
    if (head < config_.num_heads)
      std::copy_n(scratch, config_.head_dim, in);
    else
      cache_->store(layer, placed.sequence, head - config_.num_heads, placed.slot, scratch,
                    in + config_.kv_size());
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

AttendQuery DecoderCpu::query_of(const HeadTask& task, float* weighted) const {
  const std::int64_t width = config_.query_size() + 2 * config_.kv_size();
  const PlacedRow& row = placed(task.row);
  return {
      .query = projected_.data() + task.row * width + std::int64_t{task.head} * config_.head_dim,
      .prefix = row.prefix,
      .extra = cache_->plan().extra(row).data(),
      .num_extra = row.extra_count,
      .weighted = weighted};
}

/// Attention of tasks that look at the same keys and values.
void DecoderCpu::attend_heads(int rank, std::int32_t layer, std::span<const HeadTask> tasks) {
  Scratch& scratch = scratch_[static_cast<std::size_t>(rank)];
  const std::int32_t sequence = placed(tasks[0].row).sequence;
  std::array<AttendQuery, kMaxAttendQueries> queries{};
  AttendArgs args{.queries = queries.data(),
                  .num_queries = static_cast<int>(tasks.size()),
                  .keys = cache_->keys(layer, sequence, kv_head(tasks[0].head)),
                  .values = cache_->values(layer, sequence, kv_head(tasks[0].head)),
                  .head_dim = config_.head_dim,
                  .num_slots = 0,
                  .scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim)),
                  .scores = scratch.scores.data()};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    queries[i] = query_of(
        tasks[i], scratch.weighted.data() + static_cast<std::int64_t>(i) * config_.head_dim);
    const int seen =
        queries[i].num_extra > 0 ? cache_->plan().slots_in_use(sequence) : queries[i].prefix;
    args.num_slots = std::max(args.num_slots, seen);
  }
  kernels_->attend(args);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    kernels_->convert(queries[i].weighted, config_.head_dim, type_,
                      activation(attended_, std::int64_t{tasks[i].out_row} * config_.query_size() +
                                                std::int64_t{tasks[i].head} * config_.head_dim));
}

}  // namespace speclab::engines::cpu
