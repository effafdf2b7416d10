#include <cmath>

#include "engines/models/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {
namespace {

PackedMatrix packed(ElementType type, int columns, int depth, std::span<const float> weights) {
  PackedMatrix matrix(type, columns, depth);
  matrix.set_columns(0, weights);
  return matrix;
}

/// Cosines, then sines of every position's angles, one a rotary pair, in double before rounding.
std::vector<float> rope_table(const DecoderShape& config) {
  const std::int32_t half = config.head_dim / 2;
  std::vector<float> table(static_cast<std::size_t>(config.context_length) *
                           static_cast<std::size_t>(config.head_dim));
  for (std::int32_t position = 0; position < config.context_length; ++position)
    for (std::int32_t i = 0; i < half; ++i) {
      const double angle =
          position * std::pow(static_cast<double>(config.rope_theta), -2.0 * i / config.head_dim);
      const std::size_t at =
          static_cast<std::size_t>(position) * static_cast<std::size_t>(config.head_dim) +
          static_cast<std::size_t>(i);
      table[at] = static_cast<float>(std::cos(angle));
      table[at + static_cast<std::size_t>(half)] = static_cast<float>(std::sin(angle));
    }
  return table;
}

}  // namespace

DecoderCpu::Layer DecoderCpu::load_layer(const DecoderWeights& weights, std::int32_t layer) const {
  const int hidden = config_.hidden_size;
  Layer loaded;
  loaded.attention_norm = weights.read(TensorRole::attention_norm, layer);
  loaded.feed_forward_norm = weights.read(TensorRole::feed_forward_norm, layer);
  loaded.query_key_value =
      PackedMatrix(type_, config_.query_size() + 2 * config_.kv_size(), hidden);
  loaded.query_key_value.set_columns(0, weights.read(TensorRole::query, layer));
  loaded.query_key_value.set_columns(config_.query_size(), weights.read(TensorRole::key, layer));
  loaded.query_key_value.set_columns(config_.query_size() + config_.kv_size(),
                                     weights.read(TensorRole::value, layer));
  loaded.attention_output = packed(type_, hidden, config_.query_size(),
                                   weights.read(TensorRole::attention_output, layer));
  loaded.gate_up = PackedMatrix(type_, 2 * config_.intermediate_size, hidden);
  loaded.gate_up.set_gate_up(weights.read(TensorRole::gate, layer),
                             weights.read(TensorRole::up, layer));
  loaded.down =
      packed(type_, hidden, config_.intermediate_size, weights.read(TensorRole::down, layer));
  return loaded;
}

void DecoderCpu::load(const DecoderWeights& weights) {
  embedding_ = packed(type_, config_.vocab_size, config_.hidden_size,
                      weights.read(TensorRole::embedding, 0));
  if (!config_.head_is_embedding())
    head_ =
        packed(type_, config_.num_logits(), config_.hidden_size, weights.read(TensorRole::head, 0));
  if (config_.is_feature_transformer()) {
    embedding_norm_ = weights.read(TensorRole::embedding_norm, 0);
    feature_norm_ = weights.read(TensorRole::feature_norm, 0);
    fusion_ = packed(type_, config_.hidden_size, config_.hidden_size + config_.feature_size,
                     weights.read(TensorRole::fusion, 0));
  }
  output_norm_ = weights.read(TensorRole::output_norm, 0);
  rope_ = rope_table(config_);
  layers_.resize(static_cast<std::size_t>(config_.num_layers));
  team_->run([&](int rank) {
    for (std::int32_t l = rank; l < config_.num_layers; l += team_->size())
      layers_[static_cast<std::size_t>(l)] = load_layer(weights, l);
  });
  info_.weight_bytes = config_.head_is_embedding() ? embedding_.bytes() : head_.bytes();
  if (config_.is_feature_transformer()) info_.weight_bytes += fusion_.bytes();
  for (const Layer& l : layers_)
    info_.weight_bytes +=
        l.query_key_value.bytes() + l.attention_output.bytes() + l.gate_up.bytes() + l.down.bytes();
}

}  // namespace speclab::engines::cpu
