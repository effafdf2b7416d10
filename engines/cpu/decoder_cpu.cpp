#include "engines/cpu/decoder_cpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/cpu/padding.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {

DecoderCpu::Widths::Widths(const DecoderShape& shape)
    : hidden(padded(shape.hidden_size)),
      table(padded(shape.table_width())),
      head(padded(shape.head_dim)),
      query(shape.num_heads * head),
      key(shape.num_kv_heads * head),
      inner(padded(shape.intermediate_size)),
      expert(padded(shape.expert_size)) {}

DecoderCpu::DecoderCpu(const DecoderShape& config, const DecoderWeights& weights,
                       const NumberForms& numbers, std::shared_ptr<ThreadTeam> team,
                       const CpuKernels* kernels)
    : config_(config),
      widths_(config),
      state_layers_(config.state_layers()),
      numbers_(numbers),
      type_(numbers.activations()),
      team_(std::move(team)),
      kernels_(kernels),
      global_rotation_(config, RotaryBase::global),
      window_rotation_(config, RotaryBase::window),
      scratch_(static_cast<std::size_t>(team_->size())) {
  load(weights);
  info_ = describe(config, weights, numbers, kernels);
  low_bit_rows_ = most_low_bit_rows();
  const NumberForms wide = numbers.type;
  SPECLAB_EXPECT(numbers.weights == WeightChoice::fastest || info_.weight_bytes == bytes_of_a_row(),
                 "matrices of the sizes that are told");
  info_.weight_bytes = bytes_of_a_row();
  if (low_bit_rows_ > 0) {
    info_.narrow_rows = low_bit_rows_;
    info_.wide_weight_bytes = bytes_of_a_row(config, MatrixForms(config, weights, wide));
  }
}

ModelInfo DecoderCpu::describe(const DecoderShape& shape, const DecoderWeights& weights,
                               const NumberForms& numbers, const CpuKernels* kernels) {
  const Widths widths(shape);
  const MatrixForms forms(shape, weights, numbers);
  const std::string kept = forms.described();
  const bool is_padded = widths.hidden != shape.hidden_size || widths.head != shape.head_dim ||
                         widths.inner != shape.intermediate_size ||
                         widths.expert != shape.expert_size;
  ModelInfo info;
  info.name = shape.name;
  info.family = shape.family;
  info.dtype = numbers.name();
  info.device = "cpu";
  info.kernels = fmt::format("{}{}{}{}", kernels->name, is_padded ? ", sizes padded to 16" : "",
                             kept.empty() ? "" : ", ", kept);
  info.sha256 = weights.sha256();
  info.config_sha256 = shape.config_sha256;
  info.random_weights = weights.are_random();
  info.vocab_size = shape.vocab_size;
  info.context_length = shape.context_length;
  info.num_layers = shape.num_layers;
  info.hidden_size = shape.hidden_size;
  info.num_state_layers = static_cast<std::int32_t>(shape.state_layers().size());
  info.feature_size = shape.feature_size;
  info.draft_vocabulary = shape.draft_vocabulary;
  info.num_parameters = shape.num_parameters();
  info.weight_bytes = bytes_of_a_row(shape, forms);
  if (const std::optional<StreamPlan> plan = stream_plan(shape, weights, numbers);
      plan && plan->streams()) {
    info.streamed_bytes = plan->streamed_bytes();
    info.kernels += fmt::format(", {} of {} layers streamed",
                                shape.num_layers - plan->num_resident_layers(), shape.num_layers);
  }
  info.cache_bytes_per_token = std::int64_t{shape.num_layers} * widths.key * 2 *
                               (numbers.cache == ElementType::float32 ? 4 : 2);
  return info;
}

std::unique_ptr<KvCache> DecoderCpu::make_cache(std::int32_t max_sequences, std::int32_t capacity) {
  return std::make_unique<KvCacheCpu>(config_, numbers_.cache, max_sequences, capacity);
}

/// Makes rotations for the whole cache and for every row, whatever cache it is in.
void DecoderCpu::reach_rotations() {
  std::int32_t length = cache_->capacity();
  for (const ForwardRow& row : rows_) length = std::max(length, row.position + 1);
  global_rotation_.reach(length);
  if (config_.window_rope_theta) window_rotation_.reach(length);
}

ForwardResult DecoderCpu::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  cache_ = dynamic_cast<KvCacheCpu*>(&cache);
  SPECLAB_EXPECT(cache_ != nullptr, "the cache belongs to another kind of model");
  cache_->plan().place(
      rows, {config_.vocab_size, config_.context_length, config_.is_feature_transformer()});
  rows_ = rows;
  choose_rows();
  reach_rotations();
  reserve(rows.size());
  if (embedding_rows_) read_streamed_embeddings();
  if (stream_) stream_->begin();
  team_->run([this](int rank) { run_layers(rank); });
  if (stream_) stream_->finish();
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
  const auto width = [rows](std::int64_t size) { return rows * static_cast<std::size_t>(size); };
  grow(x_, width(widths_.hidden));
  grow(block_, width(widths_.hidden));
  if (config_.embedding_size > 0) grow(table_rows_, width(widths_.table));
  grow(normed_, width(std::max(widths_.hidden + config_.feature_size, widths_.table)));
  grow(projected_, width(projected_width()));
  grow(attended_, width(widths_.query));
  grow(inner_, width(widths_.inner));
  grow(logits_, logit_rows_.size() * static_cast<std::size_t>(config_.num_logits()));
  grow(hidden_, hidden_rows_.size() * static_cast<std::size_t>(info_.state_size()));
  if (config_.num_experts > 0) reserve_experts(rows);
  reserve_product_rows(rows);
  for (Scratch& scratch : scratch_) {
    grow(scratch.scores, static_cast<std::size_t>(attend_scratch_size(cache_->capacity())));
    grow(scratch.weighted, static_cast<std::size_t>(kMaxAttendQueries * widths_.head));
    grow(scratch.head, static_cast<std::size_t>(widths_.head));
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
    if (l < first_streamed_)
      run_layer(rank, l);
    else
      run_streamed_layer(rank, l);
    for (std::size_t i = 0; i < state_layers_.size(); ++i)
      if (state_layers_[i] == l) copy_stream(rank, static_cast<std::int32_t>(i) + 1);
  }
  if (!going_on_.empty()) compute_outputs(rank);
}

/// Every row leaves its key and value in the last layer too; only rows whose result is wanted go on
/// from there.
void DecoderCpu::run_layer(int rank, std::int32_t l) {
  const Layer& layer = layers_[static_cast<std::size_t>(l)];
  const bool is_last = l + 1 == config_.num_layers;
  const int going_on = static_cast<int>(is_last ? going_on_.size() : rows_.size());
  run_attention(rank, l, going_on);
  if (going_on == 0) return;
  const Norm& norm = config_.shared_norm ? layer.attention_norm : layer.feed_forward_norm;
  if (config_.parallel) {
    norm_rows(rank, going_on, norm, normed_);
    team_->barrier();
  }
  add_block(rank, layer.attention_output, attended_.data(), layer.attention_output_norm, going_on);
  if (!config_.parallel) {
    norm_rows(rank, going_on, norm, normed_);
    team_->barrier();
  }
  if (config_.has_experts(l))
    run_experts(rank, layer, going_on);
  else
    run_feed_forward(rank, layer, going_on);
}

/// Leaves keys and values of all rows in the cache, and what the heads found for those that go on.
void DecoderCpu::run_attention(int rank, std::int32_t l, int going_on) {
  const Layer& layer = layers_[static_cast<std::size_t>(l)];
  const bool is_last = l + 1 == config_.num_layers;
  const int rows = static_cast<int>(rows_.size());
  norm_rows(rank, rows, layer.attention_norm, normed_);
  team_->barrier();
  multiply(rank, layer.query_key_value, normed_.data(), rows, projected_.data(), projected_width(),
           Epilogue::store);
  team_->barrier();
  if (config_.head_norm == HeadNorm::all_heads) {
    norm_all_heads(rank, layer.head_norms);
    team_->barrier();
  }
  rotate_and_store(rank, l);
  team_->barrier();
  if (going_on == 0) return;
  if (is_last && rank == 0) keep_rows_going_on();
  attend(rank, l, is_last);
  team_->barrier();
}

void DecoderCpu::run_feed_forward(int rank, const Layer& layer, int rows) {
  multiply(rank, layer.first, normed_.data(), rows, inner_.data(), widths_.inner, first_epilogue());
  team_->barrier();
  add_block(rank, layer.down, inner_.data(), layer.feed_forward_output_norm, rows);
}

/// Adds a block's last product to the residual stream, behind its norm and multiplier.
void DecoderCpu::add_block(int rank, const Linear& linear, const void* in, const Norm& output_norm,
                           int rows) {
  if (adds_in_product(output_norm)) {
    multiply(rank, linear, in, rows, x_.data(), widths_.hidden, Epilogue::add);
  } else {
    multiply(rank, linear, in, rows, block_.data(), widths_.hidden, Epilogue::store);
    team_->barrier();
    finish_block(rank, output_norm, rows);
  }
  team_->barrier();
}

bool DecoderCpu::adds_in_product(const Norm& output_norm) const {
  return !output_norm.is_there() && config_.residual_scale == 1.0f;
}

void DecoderCpu::finish_block(int rank, const Norm& output_norm, int rows) {
  const bool norms_sum = config_.norm_place == NormPlace::after_sum;
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    float* x = stream(r);
    float* added = block_.data() + std::int64_t{r} * widths_.hidden;
    NormArgs args = norm_args(output_norm, config_.hidden_size);
    args.x = norms_sum ? x : added;
    args.out = norms_sum ? x : added;
    if (output_norm.is_there() && !norms_sum) kernels_->norm(args);
    for (std::int32_t i = 0; i < widths_.hidden; ++i) x[i] += config_.residual_scale * added[i];
    if (output_norm.is_there() && norms_sum) kernels_->norm(args);
  }
}

/// Moves the residual stream of the rows that go on to the front.
void DecoderCpu::keep_rows_going_on() {
  for (std::size_t i = 0; i < going_on_.size(); ++i)
    std::copy_n(stream(going_on_[i]), widths_.hidden, stream(static_cast<std::int64_t>(i)));
}

}  // namespace speclab::engines::cpu
