// The work before the first layer, behind the last, and on rows between products.

#include <algorithm>
#include <cstring>

#include "engines/cpu/bfloat16.h"
#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {

void DecoderCpu::embed(int rank) {
  const bool is_projected = config_.embedding_size > 0;
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    float* out = is_projected ? table_rows_.data() + std::int64_t{r} * widths_.table : stream(r);
    read_embedding(static_cast<std::size_t>(r), out);
    if (config_.embedding_scale != 1.0f)
      for (std::int32_t i = 0; i < widths_.table; ++i) out[i] *= config_.embedding_scale;
  }
  if (is_projected) project_embedding(rank);
  if (config_.positions == Positions::learned) add_positions(rank);
  if (config_.is_feature_transformer()) fuse(rank);
}

void DecoderCpu::read_embedding(std::size_t row, float* out) const {
  const auto width = static_cast<std::ptrdiff_t>(widths_.table);
  if (embedding_rows_)
    std::copy_n(embedded_.begin() + static_cast<std::ptrdiff_t>(row) * width, width, out);
  else
    embedding_.matrix.read_column(rows_[row].token, out);
  if (!rounds_embedding_) return;
  std::transform(out, out + width, out,
                 [](float value) { return from_bfloat16(to_bfloat16(value)); });
}

/// A narrow table's rows become residual streams.
void DecoderCpu::project_embedding(int rank) {
  const int rows = static_cast<int>(rows_.size());
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * widths_.table;
    kernels_->convert(table_rows_.data() + at, widths_.table, type_, activation(normed_, at));
  }
  team_->barrier();
  multiply(rank, embedding_projection_, normed_.data(), rows, x_.data(), widths_.hidden,
           Epilogue::store);
  team_->barrier();
}

void DecoderCpu::add_positions(int rank) {
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t position =
        rows_[static_cast<std::size_t>(r)].position + config_.position_offset;
    const float* learned = position_embedding_.data() + position * widths_.hidden;
    float* x = stream(r);
    for (std::int32_t i = 0; i < widths_.hidden; ++i) x[i] += learned[i];
  }
}

/// The norms of a row's embedding and of each state of its feature, one behind the other, become
/// its residual stream.
void DecoderCpu::fuse(int rank) {
  const int rows = static_cast<int>(rows_.size());
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * fusion_.matrix.depth();
    NormArgs args = norm_args(embedding_norm_, config_.hidden_size);
    args.x = stream(r);
    args.type = type_;
    args.out = activation(normed_, at);
    kernels_->norm(args);
    for (std::int32_t begin = 0; begin < config_.feature_size; begin += config_.hidden_size) {
      args.x = rows_[static_cast<std::size_t>(r)].feature + begin;
      args.weight = feature_norm_.weight.data() + begin;
      args.out = activation(normed_, at + config_.hidden_size + begin);
      kernels_->norm(args);
    }
  }
  team_->barrier();
  multiply(rank, fusion_, normed_.data(), rows, x_.data(), widths_.hidden, Epilogue::store);
}

NormArgs DecoderCpu::norm_args(const Norm& norm, std::int32_t size) const {
  return {.kind = config_.norm,
          .weight = norm.weight.data(),
          .bias = norm.bias.empty() ? nullptr : norm.bias.data(),
          .size = size,
          .epsilon = config_.norm_epsilon};
}

/// The rows in the products' element type, behind the norm if there is one.
void DecoderCpu::norm_rows(int rank, int rows, const Norm& norm, std::vector<float>& out) {
  NormArgs args = norm_args(norm, config_.hidden_size);
  args.type = type_;
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    args.x = stream(r);
    args.out = activation(out, std::int64_t{r} * widths_.hidden);
    if (norm.is_there())
      kernels_->norm(args);
    else
      kernels_->convert(args.x, widths_.hidden, type_, args.out);
  }
}

void DecoderCpu::compute_outputs(int rank) {
  norm_rows(rank, static_cast<int>(going_on_.size()), output_norm_, normed_);
  team_->barrier();
  copy_hidden(rank);
  if (logit_rows_.size() < going_on_.size()) {
    team_->barrier();
    if (rank == 0) keep_logit_rows();
    team_->barrier();
  }
  if (logit_rows_.empty()) return;
  if (config_.embedding_size > 0) project_outputs(rank);
  const int rows = static_cast<int>(logit_rows_.size());
  const Linear& head = config_.head_is_embedding() ? embedding_ : head_;
  if (stream_)
    project_streamed(rank, head, rows);
  else
    multiply(rank, form_for(head, rows), head_.bias, normed_.data(), rows, logits_.data(),
             config_.num_logits(), Epilogue::store);
  if (config_.logit_scale == 1.0f && config_.logit_soft_cap == 0) return;
  team_->barrier();
  scale_logits(rank);
}

/// The head's input in the width of a narrow table.
void DecoderCpu::project_outputs(int rank) {
  const int rows = static_cast<int>(logit_rows_.size());
  multiply(rank, output_projection_, normed_.data(), rows, table_rows_.data(), widths_.table,
           Epilogue::store);
  team_->barrier();
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * widths_.table;
    kernels_->convert(table_rows_.data() + at, widths_.table, type_, activation(normed_, at));
  }
  team_->barrier();
}

void DecoderCpu::scale_logits(int rank) {
  const Range range = share(config_.num_logits(), rank, team_->size());
  for (std::size_t r = 0; r < logit_rows_.size(); ++r) {
    float* row = logits_.data() + static_cast<std::int64_t>(r) * config_.num_logits();
    for (int i = range.begin; i < range.end; ++i) row[i] *= config_.logit_scale;
    if (config_.logit_soft_cap > 0)
      kernels_->soft_cap(row + range.begin, range.end - range.begin, config_.logit_soft_cap);
  }
}

/// The head's input, in float32.
void DecoderCpu::copy_hidden(int rank) {
  const Range range = share(static_cast<int>(hidden_rows_.size()), rank, team_->size());
  for (int i = range.begin; i < range.end; ++i) {
    const void* from = activation(
        normed_, std::int64_t{hidden_rows_[static_cast<std::size_t>(i)]} * widths_.hidden);
    float* to = hidden_.data() + std::int64_t{i} * info_.state_size();
    if (type_ == ElementType::float32)
      std::copy_n(static_cast<const float*>(from), config_.hidden_size, to);
    else
      std::transform(static_cast<const BFloat16*>(from),
                     static_cast<const BFloat16*>(from) + config_.hidden_size, to, from_bfloat16);
  }
}

/// The residual stream, which the next layer adds to only behind its first barriers.
void DecoderCpu::copy_stream(int rank, std::int32_t place) {
  const Range range = share(static_cast<int>(hidden_rows_.size()), rank, team_->size());
  for (int i = range.begin; i < range.end; ++i) {
    const std::int32_t row =
        going_on_[static_cast<std::size_t>(hidden_rows_[static_cast<std::size_t>(i)])];
    std::copy_n(
        stream(row), config_.hidden_size,
        hidden_.data() + std::int64_t{i} * info_.state_size() + place * config_.hidden_size);
  }
}

/// Moves the normed rows that want logits to the front.
void DecoderCpu::keep_logit_rows() {
  const std::int64_t bytes = widths_.hidden * (type_ == ElementType::float32 ? 4 : 2);
  for (std::size_t i = 0; i < logit_rows_.size(); ++i)
    std::memmove(activation(normed_, static_cast<std::int64_t>(i) * widths_.hidden),
                 activation(normed_, std::int64_t{logit_rows_[i]} * widths_.hidden),
                 static_cast<std::size_t>(bytes));
}

}  // namespace speclab::engines::cpu
