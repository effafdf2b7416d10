#include "engines/reference/decoder_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engines/reference/cuda_device.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

at::TensorOptions tensor_options(const std::string& device, const std::string& dtype) {
  return at::TensorOptions()
      .device(device == "cuda" ? torch_cuda_device("device 'cuda'") : c10::Device(at::kCPU))
      .dtype(dtype == "float32" ? at::kFloat : at::kBFloat16);
}

/// Visibility of the slots [0, num_slots) for one row, as an additive mask.
/// @param window  positions that it sees at most, itself included; 0: all
void fill_mask(const RowPlan& plan, const PlacedRow& row, std::int32_t window,
               const at::Tensor& mask) {
  mask.fill_(-std::numeric_limits<float>::infinity());
  const std::int32_t seen = row.prefix + row.extra_count;
  const std::int32_t first = window > 0 ? std::max(seen - window, 0) : 0;
  if (first < row.prefix) mask.narrow(0, first, row.prefix - first).zero_();
  std::int32_t place = row.prefix;
  for (const std::int32_t slot : plan.extra(row))
    if (place++ >= first) mask[slot] = 0.0f;
}

/// Products run in the model's type; all other values are float32.
bool is_matrix(TensorRole role) {
  using enum TensorRole;
  constexpr TensorRole kMatrices[] = {
      embedding,   head,  query,  key,         value,     attention_output,     gate,
      up,          down,  fusion, expert_gate, expert_up, embedding_projection, output_projection,
      expert_down, router};
  return std::ranges::find(kMatrices, role) != std::end(kMatrices);
}

}  // namespace

DecoderTorch::DecoderTorch(const DecoderShape& config, const DecoderWeights& weights,
                           const std::string& device, const std::string& dtype)
    : config_(config), options_(tensor_options(device, dtype)) {
  const c10::InferenceMode guard;
  load(weights);
  info_ = describe(config, weights, device, dtype);
}

void DecoderTorch::load(const DecoderWeights& weights) {
  for (const TensorRole role : tensor_roles())
    for (std::int32_t layer = 0; layer < (is_of_layer(role) ? config_.num_layers : 1); ++layer)
      if (has(role, layer)) tensors_[{role, layer}] = loaded(weights, role, layer);
}

std::int64_t DecoderTorch::bytes_to_load(const DecoderShape& shape, const DecoderWeights& weights,
                                         const std::string& dtype) {
  std::int64_t held = 0, reading = 0;
  for (const TensorRole role : tensor_roles())
    for (std::int32_t layer = 0; layer < (is_of_layer(role) ? shape.num_layers : 1); ++layer) {
      if (!has_role(role, shape, layer)) continue;
      if (role == TensorRole::head && shape.head_is_embedding()) continue;
      held += num_elements(role, shape) * (dtype == "float32" || !is_matrix(role) ? 4 : 2);
      reading = std::max(reading, weights.bytes_to_read(role, layer));
    }
  return held + reading;
}

at::Tensor DecoderTorch::loaded(const DecoderWeights& weights, TensorRole role,
                                std::int32_t layer) const {
  if (role == TensorRole::head && config_.head_is_embedding())
    return tensor(TensorRole::embedding, 0);
  std::vector<float> values = weights.read(role, layer);
  const std::vector<std::int64_t> sizes = shape_of(role, config_);
  return at::from_blob(values.data(), sizes, at::kFloat)
      .to(is_matrix(role) ? options_ : options_.dtype(at::kFloat), false, true);
}

ModelInfo DecoderTorch::describe(const DecoderShape& shape, const DecoderWeights& weights,
                                 const std::string& device, const std::string& dtype) {
  ModelInfo info{
      .name = shape.name,
      .family = shape.family,
      .dtype = dtype,
      .device = device,
      .kernels = "reference",
      .sha256 = weights.sha256(),
      .config_sha256 = shape.config_sha256,
      .vocab_size = shape.vocab_size,
      .context_length = shape.context_length,
      .num_layers = shape.num_layers,
      .hidden_size = shape.hidden_size,
      .feature_size = shape.feature_size,
      .draft_vocabulary = shape.draft_vocabulary,
      .num_parameters = shape.num_parameters(),
      .weight_bytes = parameters_read(shape) * (dtype == "float32" ? 4 : 2),
      .cache_bytes_per_token = cache_elements_per_token(shape) * (dtype == "float32" ? 4 : 2)};
  info.random_weights = weights.are_random();
  info.state_width = shape.state_width;
  info.widened_from = shape.widened_from;
  info.num_state_layers = static_cast<std::int32_t>(shape.state_layers().size());
  return info;
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
  Rows prepared;
  prepared.tokens = on_device(tokens);
  prepared.positions = on_device(positions);
  prepared.sequences = on_device(sequences);
  prepared.slots = on_device(slots);
  prepared.wanting_logits = on_device(wanting_logits);
  prepared.wanting_hidden = on_device(wanting_hidden);
  if (config_.is_feature_transformer())
    prepared.features =
        at::tensor(features, at::kFloat).view({-1, config_.feature_size}).to(options_.device());
  prepare_rotations(rows, prepared);
  prepare_masks(plan, members, prepared);
  return prepared;
}

void DecoderTorch::prepare_rotations(std::span<const ForwardRow> rows, Rows& prepared) const {
  if (config_.positions != Positions::rotary) return;
  const std::int64_t half = config_.rotary_size() / 2;
  for (const RotaryBase base : {RotaryBase::global, RotaryBase::window}) {
    if (base == RotaryBase::window && !config_.window_rope_theta) continue;
    std::vector<float> cosines, sines;
    for (const ForwardRow& row : rows) {
      const RotaryFrequencies frequencies = rotary_frequencies(config_, base, row.position);
      for (const double frequency : frequencies.per_position) {
        const double angle = row.position * frequency;
        cosines.push_back(static_cast<float>(frequencies.magnitude * std::cos(angle)));
        sines.push_back(static_cast<float>(frequencies.magnitude * std::sin(angle)));
      }
    }
    const auto on_device = [&](const std::vector<float>& values) {
      return at::tensor(values, at::kFloat).view({-1, 1, half}).to(options_.device());
    };
    prepared.rotations[base] = {on_device(cosines), on_device(sines)};
  }
}

void DecoderTorch::prepare_masks(const RowPlan& plan,
                                 const std::map<std::int32_t, std::vector<std::int64_t>>& members,
                                 Rows& prepared) const {
  std::set<std::int32_t> windows;
  for (std::int32_t layer = 0; layer < config_.num_layers; ++layer)
    windows.insert(window_of(config_, layer));
  for (const auto& [sequence, numbers] : members) {
    prepared.of_sequence.push_back(at::tensor(numbers, at::kLong).to(options_.device()));
    prepared.sequence_ids.push_back(sequence);
    for (const std::int32_t window : windows) {
      const at::Tensor mask = at::empty(
          {static_cast<std::int64_t>(numbers.size()), plan.slots_in_use(sequence)}, at::kFloat);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        fill_mask(plan, plan.rows()[static_cast<std::size_t>(numbers[i])], window,
                  mask[static_cast<std::int64_t>(i)]);
      prepared.masks[window].push_back(mask.to(options_.device()));
    }
  }
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
    x = run_layer(x, prepared, l, *own_cache);
    if (std::ranges::find(state_layers, l) != state_layers.end())
      states.push_back(x.narrow(1, 0, config_.counting_width()));
  }
  const at::Tensor last =
      config_.final_norm ? norm(x, TensorRole::output_norm, TensorRole::output_norm_bias, 0) : x;
  logits_ = logits_of(last.index_select(0, prepared.wanting_logits)).to(at::kCPU).contiguous();
  states.front() = last.narrow(1, 0, config_.counting_width()).to(options_.dtype()).to(at::kFloat);
  hidden_ = at::cat(states, 1).index_select(0, prepared.wanting_hidden).to(at::kCPU).contiguous();
  return {.logits = {logits_.const_data_ptr<float>(), static_cast<std::size_t>(logits_.numel())},
          .vocab_size = config_.num_logits(),
          .hidden = {hidden_.const_data_ptr<float>(), static_cast<std::size_t>(hidden_.numel())},
          .state_size = info_.state_size()};
}

}  // namespace speclab::engines
