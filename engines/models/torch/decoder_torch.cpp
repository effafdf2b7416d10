#include "engines/models/torch/decoder_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

at::TensorOptions tensor_options(const std::string& device, const std::string& dtype) {
  if (device == "cuda" && !at::hasCUDA())
    throw DeviceError("device 'cuda': no CUDA device or driver is here; use --device cpu");
  return at::TensorOptions()
      .device(device == "cuda" ? at::kCUDA : at::kCPU)
      .dtype(dtype == "float32" ? at::kFloat : at::kBFloat16);
}

/// Visibility of the slots [0, num_slots) for one row, as an additive mask.
void fill_mask(const RowPlan& plan, const PlacedRow& row, const at::Tensor& mask) {
  mask.fill_(-std::numeric_limits<float>::infinity());
  mask.narrow(0, 0, row.prefix).zero_();
  for (const std::int32_t slot : plan.extra(row)) mask[slot] = 0.0f;
}

}  // namespace

at::Tensor DecoderTorch::load(const DecoderWeights& weights, TensorRole role, std::int32_t layer,
                              std::int64_t columns) const {
  std::vector<float> values = weights.read(role, layer);
  at::Tensor tensor =
      at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kFloat);
  if (columns > 0) tensor = tensor.view({-1, columns});
  return columns > 0 ? tensor.to(options_, false, true)
                     : tensor.to(options_.dtype(at::kFloat), false, true);
}

DecoderTorch::DecoderTorch(const DecoderShape& config, const DecoderWeights& weights,
                           const std::string& device, const std::string& dtype)
    : config_(config), options_(tensor_options(device, dtype)) {
  const c10::InferenceMode guard;
  const std::int64_t hidden = config.hidden_size;
  embedding_ = load(weights, TensorRole::embedding, 0, hidden);
  head_ = config.head_is_embedding() ? embedding_ : load(weights, TensorRole::head, 0, hidden);
  output_norm_ = load(weights, TensorRole::output_norm, 0, 0);
  if (config.is_feature_transformer()) {
    embedding_norm_ = load(weights, TensorRole::embedding_norm, 0, 0);
    feature_norm_ = load(weights, TensorRole::feature_norm, 0, 0);
    fusion_ = load(weights, TensorRole::fusion, 0, hidden + config.feature_size);
  }
  for (std::int32_t l = 0; l < config.num_layers; ++l)
    layers_.push_back({load(weights, TensorRole::attention_norm, l, 0),
                       at::cat({load(weights, TensorRole::query, l, hidden),
                                load(weights, TensorRole::key, l, hidden),
                                load(weights, TensorRole::value, l, hidden)}),
                       load(weights, TensorRole::attention_output, l, config.query_size()),
                       load(weights, TensorRole::feed_forward_norm, l, 0),
                       at::cat({load(weights, TensorRole::gate, l, hidden),
                                load(weights, TensorRole::up, l, hidden)}),
                       load(weights, TensorRole::down, l, config.intermediate_size)});
  const at::Tensor frequency =
      at::pow(static_cast<double>(config.rope_theta),
              at::arange(config.head_dim / 2, at::kDouble) * (-2.0 / config.head_dim));
  const at::Tensor angle = at::outer(at::arange(config.context_length, at::kDouble), frequency);
  cosine_ = angle.cos().to(options_.dtype(at::kFloat));
  sine_ = angle.sin().to(options_.dtype(at::kFloat));
  info_ = {.name = config.name,
           .family = "llama",
           .dtype = dtype,
           .device = device,
           .kernels = "aten",
           .sha256 = weights.sha256(),
           .config_sha256 = config.config_sha256,
           .vocab_size = config.vocab_size,
           .context_length = config.context_length,
           .num_layers = config.num_layers,
           .hidden_size = config.hidden_size,
           .feature_size = config.feature_size,
           .draft_vocabulary = config.draft_vocabulary,
           .num_parameters = config.num_parameters(),
           .weight_bytes =
               config.parameters_read() * static_cast<std::int64_t>(embedding_.element_size())};
  info_.random_weights = weights.are_random();
  info_.num_state_layers = static_cast<std::int32_t>(config.state_layers().size());
}

std::unique_ptr<KvCache> DecoderTorch::make_cache(std::int32_t max_sequences,
                                                  std::int32_t capacity) {
  return std::make_unique<KvCacheTorch>(config_, max_sequences, capacity, options_);
}

DecoderTorch::Rows DecoderTorch::prepare(std::span<const ForwardRow> rows,
                                         const RowPlan& plan) const {
  std::vector<std::int64_t> tokens, positions, sequences, slots, wanting_logits, wanting_hidden;
  std::vector<float> features;
  std::map<std::int32_t, std::vector<std::int64_t>> members;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tokens.push_back(rows[i].token);
    positions.push_back(rows[i].position);
    sequences.push_back(rows[i].sequence);
    slots.push_back(plan.rows()[i].slot);
    if (rows[i].wants_logits) wanting_logits.push_back(static_cast<std::int64_t>(i));
    if (rows[i].wants_hidden) wanting_hidden.push_back(static_cast<std::int64_t>(i));
    if (config_.is_feature_transformer())
      features.insert(features.end(), rows[i].feature, rows[i].feature + config_.feature_size);
    members[rows[i].sequence].push_back(static_cast<std::int64_t>(i));
  }
  const auto on_device = [this](const std::vector<std::int64_t>& values) {
    return at::tensor(values, at::kLong).to(options_.device());
  };
  Rows prepared{on_device(tokens),
                on_device(positions),
                on_device(sequences),
                on_device(slots),
                on_device(wanting_logits),
                on_device(wanting_hidden),
                {},
                {},
                {},
                {}};
  if (config_.is_feature_transformer())
    prepared.features =
        at::tensor(features, at::kFloat).view({-1, config_.feature_size}).to(options_.device());
  for (const auto& [sequence, numbers] : members) {
    const at::Tensor mask = at::empty(
        {static_cast<std::int64_t>(numbers.size()), plan.slots_in_use(sequence)}, at::kFloat);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      fill_mask(plan, plan.rows()[static_cast<std::size_t>(numbers[i])],
                mask[static_cast<std::int64_t>(i)]);
    prepared.of_sequence.push_back(on_device(numbers));
    prepared.masks.push_back(mask.to(options_.device()));
    prepared.sequence_ids.push_back(sequence);
  }
  return prepared;
}

/// A row's residual stream before the first layer, float32.
at::Tensor DecoderTorch::embed(const Rows& rows) const {
  at::Tensor x = embedding_.index_select(0, rows.tokens).to(at::kFloat);
  if (!config_.is_feature_transformer()) return x;
  const std::vector<std::int64_t> states{-1, config_.num_features(), config_.hidden_size};
  const at::Tensor features =
      norm(rows.features.view(states), feature_norm_.view({states[1], states[2]}))
          .view({-1, config_.feature_size});
  return at::linear(at::cat({norm(x, embedding_norm_), features}, 1), fusion_).to(at::kFloat);
}

/// Norms, rotations and softmax run in float32, products in the model's dtype.
at::Tensor DecoderTorch::norm(const at::Tensor& x, const at::Tensor& weight) const {
  return (x * at::rsqrt(x.pow(2).mean(-1, true) + static_cast<double>(config_.norm_epsilon)) *
          weight)
      .to(options_.dtype());
}

at::Tensor DecoderTorch::rotate(const at::Tensor& heads, const at::Tensor& positions) const {
  const at::Tensor cosine = cosine_.index_select(0, positions).unsqueeze(1),
                   sine = sine_.index_select(0, positions).unsqueeze(1);
  const at::Tensor low = heads.narrow(-1, 0, config_.head_dim / 2).to(at::kFloat),
                   high =
                       heads.narrow(-1, config_.head_dim / 2, config_.head_dim / 2).to(at::kFloat);
  return at::cat({low * cosine - high * sine, high * cosine + low * sine}, -1).to(options_.dtype());
}

at::Tensor DecoderTorch::attention(const at::Tensor& x, const Rows& rows, std::int32_t layer,
                                   KvCacheTorch& cache) const {
  const at::Tensor projected =
      at::linear(x, layers_[static_cast<std::size_t>(layer)].query_key_value);
  const std::int64_t n = x.size(0), d = config_.head_dim,
                     group = config_.num_heads / config_.num_kv_heads;
  const at::Tensor query = rotate(
      projected.narrow(1, 0, config_.query_size()).view({n, config_.num_heads, d}), rows.positions);
  const at::Tensor key = rotate(projected.narrow(1, config_.query_size(), config_.kv_size())
                                    .view({n, config_.num_kv_heads, d}),
                                rows.positions);
  const at::Tensor value =
      projected.narrow(1, config_.query_size() + config_.kv_size(), config_.kv_size())
          .view({n, config_.num_kv_heads, d});
  const at::Tensor keys = cache.keys(layer), values = cache.values(layer);
  keys.permute({0, 2, 1, 3}).index_put_({rows.sequences, rows.slots}, key);
  values.permute({0, 2, 1, 3}).index_put_({rows.sequences, rows.slots}, value);
  const at::Tensor out = at::empty({n, config_.query_size()}, options_);
  for (std::size_t s = 0; s < rows.of_sequence.size(); ++s) {
    const std::int64_t length = rows.masks[s].size(1), count = rows.of_sequence[s].size(0);
    const at::Tensor q = query.index_select(0, rows.of_sequence[s])
                             .view({count, config_.num_kv_heads, group, d})
                             .permute({1, 2, 0, 3})
                             .reshape({config_.num_kv_heads, group * count, d});
    const at::Tensor k = keys[rows.sequence_ids[s]].narrow(1, 0, length),
                     v = values[rows.sequence_ids[s]].narrow(1, 0, length);
    const at::Tensor scores = at::matmul(q, k.transpose(1, 2))
                                  .to(at::kFloat)
                                  .view({config_.num_kv_heads, group, count, length}) /
                              std::sqrt(static_cast<double>(d));
    const at::Tensor weights = at::softmax(scores + rows.masks[s], -1)
                                   .to(options_.dtype())
                                   .view({config_.num_kv_heads, group * count, length});
    const at::Tensor mixed = at::matmul(weights, v)
                                 .view({config_.num_kv_heads, group, count, d})
                                 .permute({2, 0, 1, 3})
                                 .reshape({count, config_.query_size()});
    out.index_copy_(0, rows.of_sequence[s], mixed);
  }
  return at::linear(out, layers_[static_cast<std::size_t>(layer)].attention_output);
}

ForwardResult DecoderTorch::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  const c10::InferenceMode guard;
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  auto* own_cache = dynamic_cast<KvCacheTorch*>(&cache);
  SPECLAB_EXPECT(own_cache != nullptr, "the cache belongs to another kind of model");
  own_cache->plan().place(
      rows, {config_.vocab_size, config_.context_length, config_.is_feature_transformer()});
  const Rows prepared = prepare(rows, own_cache->plan());
  at::Tensor x = embed(prepared);
  const std::vector<std::int32_t> state_layers = config_.state_layers();
  std::vector<at::Tensor> states(1);
  for (std::int32_t l = 0; l < config_.num_layers; ++l) {
    const Layer& layer = layers_[static_cast<std::size_t>(l)];
    x = x + attention(norm(x, layer.attention_norm), prepared, l, *own_cache);
    const std::vector<at::Tensor> gate_up =
        at::linear(norm(x, layer.feed_forward_norm), layer.gate_up).chunk(2, -1);
    x = x + at::linear(at::silu(gate_up[0]) * gate_up[1], layer.down);
    if (std::ranges::find(state_layers, l) != state_layers.end()) states.push_back(x);
  }
  const at::Tensor normed = norm(x, output_norm_);
  logits_ = at::linear(normed.index_select(0, prepared.wanting_logits), head_)
                .to(at::kFloat)
                .to(at::kCPU)
                .contiguous();
  states.front() = normed.to(at::kFloat);
  hidden_ = at::cat(states, 1).index_select(0, prepared.wanting_hidden).to(at::kCPU).contiguous();
  return {.logits = {logits_.const_data_ptr<float>(), static_cast<std::size_t>(logits_.numel())},
          .vocab_size = config_.num_logits(),
          .hidden = {hidden_.const_data_ptr<float>(), static_cast<std::size_t>(hidden_.numel())},
          .state_size = info_.state_size()};
}

}  // namespace speclab::engines
