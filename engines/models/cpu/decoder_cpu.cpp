#include "engines/models/cpu/decoder_cpu.h"

#include <algorithm>
#include <cstring>

#include "engines/models/cpu/bfloat16.h"
#include "sim/core/errors.h"

namespace speclab::engines::cpu {

DecoderCpu::DecoderCpu(const DecoderShape& config, const DecoderWeights& weights, ElementType type,
                       std::shared_ptr<ThreadTeam> team, const CpuKernels* kernels)
    : config_(config),
      state_layers_(config.state_layers()),
      type_(type),
      team_(std::move(team)),
      kernels_(kernels),
      scratch_(static_cast<std::size_t>(team_->size())) {
  load(weights);
  info_.name = config.name;
  info_.family = "llama";
  info_.dtype = type == ElementType::float32 ? "float32" : "bfloat16";
  info_.device = "cpu";
  info_.kernels = kernels_->name;
  info_.sha256 = weights.sha256();
  info_.config_sha256 = config.config_sha256;
  info_.random_weights = weights.are_random();
  info_.vocab_size = config.vocab_size;
  info_.context_length = config.context_length;
  info_.num_layers = config.num_layers;
  info_.hidden_size = config.hidden_size;
  info_.num_state_layers = static_cast<std::int32_t>(state_layers_.size());
  info_.feature_size = config.feature_size;
  info_.draft_vocabulary = config.draft_vocabulary;
  info_.num_parameters = config.num_parameters();
}

std::unique_ptr<KvCache> DecoderCpu::make_cache(std::int32_t max_sequences, std::int32_t capacity) {
  return std::make_unique<KvCacheCpu>(config_, max_sequences, capacity);
}

ForwardResult DecoderCpu::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  cache_ = dynamic_cast<KvCacheCpu*>(&cache);
  SPECLAB_EXPECT(cache_ != nullptr, "the cache belongs to another kind of model");
  cache_->plan().place(
      rows, {config_.vocab_size, config_.context_length, config_.is_feature_transformer()});
  rows_ = rows;
  choose_rows();
  reserve(rows.size());
  team_->run([this](int rank) { run_layers(rank); });
  return result();
}

void DecoderCpu::choose_rows() {
  going_on_.clear();
  logit_rows_.clear();
  hidden_rows_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ForwardRow& row = rows_[i];
    const auto index = static_cast<std::int32_t>(going_on_.size());
    if (row.wants_logits) logit_rows_.push_back(index);
    if (row.wants_hidden) hidden_rows_.push_back(index);
    if (row.wants_logits || row.wants_hidden) going_on_.push_back(static_cast<std::int32_t>(i));
  }
}

ForwardResult DecoderCpu::result() const {
  return {.logits = std::span(logits_).first(logit_rows_.size() *
                                             static_cast<std::size_t>(config_.num_logits())),
          .vocab_size = config_.num_logits(),
          .hidden = std::span(hidden_).first(hidden_rows_.size() *
                                             static_cast<std::size_t>(info_.state_size())),
          .state_size = info_.state_size()};
}

void DecoderCpu::reserve(std::size_t rows) {
  auto grow = [](std::vector<float>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
  };
  const auto width = [rows](std::int32_t size) { return rows * static_cast<std::size_t>(size); };
  grow(x_, width(config_.hidden_size));
  grow(normed_, width(config_.hidden_size + config_.feature_size));
  grow(projected_, width(config_.query_size() + 2 * config_.kv_size()));
  grow(attended_, width(config_.query_size()));
  grow(inner_, width(config_.intermediate_size));
  grow(logits_, logit_rows_.size() * static_cast<std::size_t>(config_.num_logits()));
  grow(hidden_, hidden_rows_.size() * static_cast<std::size_t>(info_.state_size()));
  for (Scratch& scratch : scratch_) {
    grow(scratch.scores, static_cast<std::size_t>(attend_scratch_size(cache_->capacity())));
    grow(scratch.weighted, static_cast<std::size_t>(kMaxAttendQueries * config_.head_dim));
    grow(scratch.head, static_cast<std::size_t>(std::max(config_.head_dim, config_.hidden_size)));
  }
}

/// Element `index` of a buffer of activations; they are stored in the products' element type.
void* DecoderCpu::activation(std::vector<float>& buffer, std::int64_t index) {
  return reinterpret_cast<char*>(buffer.data()) + index * (type_ == ElementType::float32 ? 4 : 2);
}

void DecoderCpu::run_layers(int rank) {
  embed(rank);
  team_->barrier();
  for (std::int32_t l = 0; l < config_.num_layers; ++l) {
    run_layer(rank, l);
    for (std::size_t i = 0; i < state_layers_.size(); ++i)
      if (state_layers_[i] == l) copy_stream(rank, static_cast<std::int32_t>(i) + 1);
  }
  if (!going_on_.empty()) compute_outputs(rank);
}

/// In the last layer every row leaves its key and value; only those that something is wanted of go
/// on from there.
void DecoderCpu::run_layer(int rank, std::int32_t l) {
  const Layer& layer = layers_[static_cast<std::size_t>(l)];
  const bool is_last = l + 1 == config_.num_layers;
  const int rows = static_cast<int>(rows_.size()),
            going_on = is_last ? static_cast<int>(going_on_.size()) : rows;
  norm_rows(rank, rows, layer.attention_norm);
  team_->barrier();
  multiply(rank, layer.query_key_value, normed_.data(), rows, projected_.data(),
           layer.query_key_value.columns(), Epilogue::store);
  team_->barrier();
  rotate_and_store(rank, l);
  team_->barrier();
  if (going_on == 0) return;
  if (is_last && rank == 0) keep_rows_going_on();
  attend(rank, l, is_last);
  team_->barrier();
  multiply(rank, layer.attention_output, attended_.data(), going_on, x_.data(), config_.hidden_size,
           Epilogue::add);
  team_->barrier();
  norm_rows(rank, going_on, layer.feed_forward_norm);
  team_->barrier();
  multiply(rank, layer.gate_up, normed_.data(), going_on, inner_.data(), config_.intermediate_size,
           Epilogue::silu_gate);
  team_->barrier();
  multiply(rank, layer.down, inner_.data(), going_on, x_.data(), config_.hidden_size,
           Epilogue::add);
  team_->barrier();
}

/// Moves the residual stream of the rows that go on to the front.
void DecoderCpu::keep_rows_going_on() {
  for (std::size_t i = 0; i < going_on_.size(); ++i) {
    const std::int64_t from = std::int64_t{going_on_[i]} * config_.hidden_size;
    std::copy_n(x_.begin() + from, config_.hidden_size,
                x_.begin() + static_cast<std::int64_t>(i) * config_.hidden_size);
  }
}

void DecoderCpu::embed(int rank) {
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r)
    embedding_.read_column(rows_[static_cast<std::size_t>(r)].token,
                           x_.data() + std::int64_t{r} * config_.hidden_size);
  if (config_.is_feature_transformer()) fuse(rank);
}

/// The norms of a row's embedding and of each state of its feature, one behind the other, become
/// its residual stream.
void DecoderCpu::fuse(int rank) {
  const int rows = static_cast<int>(rows_.size());
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * fusion_.depth();
    kernels_->rms_norm(x_.data() + std::int64_t{r} * config_.hidden_size, embedding_norm_.data(),
                       config_.hidden_size, config_.rms_epsilon, type_, activation(normed_, at));
    for (std::int32_t begin = 0; begin < config_.feature_size; begin += config_.hidden_size)
      kernels_->rms_norm(rows_[static_cast<std::size_t>(r)].feature + begin,
                         feature_norm_.data() + begin, config_.hidden_size, config_.rms_epsilon,
                         type_, activation(normed_, at + config_.hidden_size + begin));
  }
  team_->barrier();
  multiply(rank, fusion_, normed_.data(), rows, x_.data(), config_.hidden_size, Epilogue::store);
}

void DecoderCpu::norm_rows(int rank, int rows, const std::vector<float>& weight) {
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const std::int64_t at = std::int64_t{r} * config_.hidden_size;
    kernels_->rms_norm(x_.data() + at, weight.data(), config_.hidden_size, config_.rms_epsilon,
                       type_, activation(normed_, at));
  }
}

void DecoderCpu::multiply(int rank, const PackedMatrix& matrix, const void* x, int rows, void* out,
                          std::int64_t out_stride, Epilogue epilogue) {
  MultiplyArgs args{.weights = matrix.data(),
                    .x = x,
                    .x_stride = matrix.depth(),
                    .out = out,
                    .out_stride = out_stride,
                    .rows = rows,
                    .depth = matrix.depth(),
                    .block_begin = 0,
                    .block_end = 0,
                    .columns = matrix.columns(),
                    .epilogue = epilogue};
  const auto product =
      type_ == ElementType::float32 ? kernels_->multiply_float32 : kernels_->multiply_bfloat16;
  deal(rank, rows, matrix.num_blocks(), 1, [&](Range blocks) {
    args.block_begin = blocks.begin;
    args.block_end = blocks.end;
    product(args);
  });
}

void DecoderCpu::compute_outputs(int rank) {
  norm_rows(rank, static_cast<int>(going_on_.size()), output_norm_);
  team_->barrier();
  copy_hidden(rank);
  if (logit_rows_.size() < going_on_.size()) {
    team_->barrier();
    if (rank == 0) keep_logit_rows();
    team_->barrier();
  }
  if (logit_rows_.empty()) return;
  multiply(rank, config_.head_is_embedding() ? embedding_ : head_, normed_.data(),
           static_cast<int>(logit_rows_.size()), logits_.data(), config_.num_logits(),
           Epilogue::store);
}

/// What the head is about to multiply, in float32.
void DecoderCpu::copy_hidden(int rank) {
  const Range range = share(static_cast<int>(hidden_rows_.size()), rank, team_->size());
  for (int i = range.begin; i < range.end; ++i) {
    const void* from = activation(
        normed_, std::int64_t{hidden_rows_[static_cast<std::size_t>(i)]} * config_.hidden_size);
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
        x_.data() + std::int64_t{row} * config_.hidden_size, config_.hidden_size,
        hidden_.data() + std::int64_t{i} * info_.state_size() + place * config_.hidden_size);
  }
}

/// Moves the normed rows that want logits to the front.
void DecoderCpu::keep_logit_rows() {
  const std::int64_t bytes = config_.hidden_size * (type_ == ElementType::float32 ? 4 : 2);
  for (std::size_t i = 0; i < logit_rows_.size(); ++i)
    std::memmove(activation(normed_, static_cast<std::int64_t>(i) * config_.hidden_size),
                 activation(normed_, std::int64_t{logit_rows_[i]} * config_.hidden_size),
                 static_cast<std::size_t>(bytes));
}

}  // namespace speclab::engines::cpu
