// Weights into the order in which the kernels read them.

#include "engines/models/cpu/decoder_cpu.h"
#include "engines/models/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

PackedMatrix packed(ElementType type, int columns, int depth, std::span<const float> weights) {
  PackedMatrix matrix(type, columns, depth);
  matrix.set_columns(0, weights);
  return matrix;
}

/// Zeros up to whole blocks of columns.
std::vector<float> whole_blocks(std::vector<float> bias) {
  if (!bias.empty())
    bias.resize((bias.size() + kBlockColumns - 1) / kBlockColumns * kBlockColumns, 0.0f);
  return bias;
}

/// Both biases in the order of PackedMatrix::set_gate_up.
std::vector<float> gate_up_bias(const std::vector<float>& gate, const std::vector<float>& up) {
  constexpr std::size_t kHalf = kBlockColumns / 2;
  std::vector<float> bias;
  for (std::size_t i = 0; i < gate.size(); i += kHalf)
    for (const std::vector<float>* half : {&gate, &up})
      bias.insert(bias.end(), half->begin() + static_cast<std::ptrdiff_t>(i),
                  half->begin() + static_cast<std::ptrdiff_t>(i + kHalf));
  return bias;
}

std::span<const float> part_of(const std::vector<float>& values, std::int64_t part,
                               std::int64_t parts) {
  const std::size_t size = values.size() / static_cast<std::size_t>(parts);
  return std::span(values).subspan(static_cast<std::size_t>(part) * size, size);
}

}  // namespace

DecoderCpu::Norm DecoderCpu::load_norm(const DecoderWeights& weights, TensorRole weight,
                                       TensorRole bias, std::int32_t layer) const {
  Norm norm;
  const auto read = [&](TensorRole role) {
    return widened(weights.read(role, layer), config_.hidden_size, widths_.hidden);
  };
  if (has_role(weight, config_, layer)) norm.weight = read(weight);
  if (has_role(bias, config_, layer)) norm.bias = read(bias);
  return norm;
}

/// @param columns  of the matrix @param depth  true one, padded here
DecoderCpu::Linear DecoderCpu::load_linear(const DecoderWeights& weights, TensorRole weight,
                                           TensorRole bias, std::int32_t layer,
                                           std::int32_t columns, std::int32_t depth) const {
  Linear linear{packed(type_, columns, padded(depth),
                       widened(weights.read(weight, layer), depth, padded(depth))),
                {}};
  if (bias != weight && has_role(bias, config_, layer))
    linear.bias = whole_blocks(weights.read(bias, layer));
  return linear;
}

/// Queries, keys and values side by side, every head in whole vectors.
void DecoderCpu::load_attention(const DecoderWeights& weights, std::int32_t layer,
                                Layer& loaded) const {
  using enum TensorRole;
  const auto heads = [&](TensorRole role, std::int64_t width) {
    std::vector<float> values = weights.read(role, layer);
    if (width > 1) values = widened(std::move(values), config_.hidden_size, width);
    return widened(std::move(values), config_.head_dim * width, widths_.head * width);
  };
  Linear& all = loaded.query_key_value;
  all.matrix = PackedMatrix(type_, static_cast<int>(projected_width()), widths_.hidden);
  all.matrix.set_columns(0, heads(query, widths_.hidden));
  all.matrix.set_columns(widths_.query, heads(key, widths_.hidden));
  all.matrix.set_columns(widths_.query + widths_.key, heads(value, widths_.hidden));
  if (config_.query_key_value_bias) {
    for (const TensorRole role : {query_bias, key_bias, value_bias}) {
      const std::vector<float> bias = heads(role, 1);
      all.bias.insert(all.bias.end(), bias.begin(), bias.end());
    }
    all.bias = whole_blocks(std::move(all.bias));
  }
  loaded.attention_output.matrix =
      packed(type_, config_.hidden_size, widths_.query,
             widened(weights.read(attention_output, layer), config_.head_dim, widths_.head));
  if (config_.attention_output_bias)
    loaded.attention_output.bias = whole_blocks(weights.read(attention_output_bias, layer));
  const auto head_norm = [&](TensorRole weight, TensorRole bias) {
    Norm norm;
    if (has_role(weight, config_, layer)) norm.weight = heads(weight, 1);
    if (has_role(bias, config_, layer)) norm.bias = heads(bias, 1);
    return norm;
  };
  loaded.head_norms = {head_norm(query_norm, query_norm_bias), head_norm(key_norm, key_norm_bias)};
}

/// Gate and up interleaved, or up alone. @param size  true intermediate size
DecoderCpu::Linear DecoderCpu::first_product(std::vector<float> gate, std::vector<float> up,
                                             std::int32_t size) const {
  const std::int64_t row = widths_.hidden;
  const auto whole = [&](std::vector<float> rows) {
    return widened(widened(std::move(rows), config_.hidden_size, row), size * row,
                   padded(size) * row);
  };
  Linear linear;
  if (config_.gated) {
    linear.matrix = PackedMatrix(type_, 2 * padded(size), widths_.hidden);
    linear.matrix.set_gate_up(whole(std::move(gate)), whole(std::move(up)));
  } else {
    linear.matrix = packed(type_, padded(size), widths_.hidden, whole(std::move(up)));
  }
  return linear;
}

DecoderCpu::Linear DecoderCpu::load_first(const DecoderWeights& weights, std::int32_t layer) const {
  using enum TensorRole;
  const std::int32_t size = config_.intermediate_size;
  Linear linear = first_product(config_.gated ? weights.read(gate, layer) : std::vector<float>{},
                                weights.read(up, layer), size);
  if (!config_.feed_forward_bias) return linear;
  const auto bias = [&](TensorRole role) {
    return widened(weights.read(role, layer), size, widths_.inner);
  };
  linear.bias =
      whole_blocks(config_.gated ? gate_up_bias(bias(gate_bias), bias(up_bias)) : bias(up_bias));
  return linear;
}

void DecoderCpu::load_experts(const DecoderWeights& weights, std::int32_t layer,
                              Experts& experts) const {
  using enum TensorRole;
  experts.router =
      load_linear(weights, router, router, layer, config_.num_experts, config_.hidden_size);
  const std::vector<float> gates = config_.gated ? weights.read(expert_gate, layer)
                                                 : std::vector<float>{},
                           ups = weights.read(expert_up, layer),
                           downs = weights.read(expert_down, layer);
  const auto expert_of = [&](const std::vector<float>& all, std::int64_t expert) {
    const std::span<const float> part = part_of(all, expert, config_.num_experts);
    return std::vector<float>(part.begin(), part.end());
  };
  for (std::int32_t e = 0; e < config_.num_experts; ++e) {
    experts.first.push_back(
        first_product(expert_of(gates, e), expert_of(ups, e), config_.expert_size));
    experts.down.push_back(
        {packed(type_, config_.hidden_size, widths_.expert,
                widened(expert_of(downs, e), config_.expert_size, widths_.expert)),
         {}});
  }
}

DecoderCpu::Layer DecoderCpu::load_layer(const DecoderWeights& weights, std::int32_t layer) const {
  using enum TensorRole;
  Layer loaded;
  loaded.attention_norm = load_norm(weights, attention_norm, attention_norm_bias, layer);
  loaded.attention_output_norm =
      load_norm(weights, attention_output_norm, attention_output_norm_bias, layer);
  loaded.feed_forward_norm = load_norm(weights, feed_forward_norm, feed_forward_norm_bias, layer);
  loaded.feed_forward_output_norm =
      load_norm(weights, feed_forward_output_norm, feed_forward_output_norm_bias, layer);
  load_attention(weights, layer, loaded);
  if (config_.has_experts(layer)) {
    load_experts(weights, layer, loaded.experts);
    return loaded;
  }
  loaded.first = load_first(weights, layer);
  loaded.down =
      load_linear(weights, down, down_bias, layer, config_.hidden_size, config_.intermediate_size);
  return loaded;
}

void DecoderCpu::load_tables(const DecoderWeights& weights) {
  using enum TensorRole;
  const std::int32_t table = config_.table_width();
  embedding_ = load_linear(weights, embedding, embedding, 0, config_.vocab_size, table).matrix;
  if (!config_.head_is_embedding())
    head_.matrix = load_linear(weights, head, head, 0, config_.num_logits(), table).matrix;
  if (config_.head_bias) head_.bias = whole_blocks(weights.read(head_bias, 0));
  if (config_.positions == Positions::learned)
    position_embedding_ =
        widened(weights.read(position_embedding, 0), config_.hidden_size, widths_.hidden);
  if (config_.embedding_size > 0) {
    embedding_projection_ = load_linear(weights, embedding_projection, embedding_projection, 0,
                                        config_.hidden_size, table);
    output_projection_ =
        load_linear(weights, output_projection, output_projection, 0, table, config_.hidden_size);
  }
  if (config_.is_feature_transformer()) {
    embedding_norm_.weight = weights.read(embedding_norm, 0);
    feature_norm_.weight = weights.read(feature_norm, 0);
    fusion_ = load_linear(weights, fusion, fusion, 0, config_.hidden_size,
                          config_.hidden_size + config_.feature_size);
  }
  output_norm_ = load_norm(weights, output_norm, output_norm_bias, 0);
}

void DecoderCpu::load(const DecoderWeights& weights) {
  load_tables(weights);
  layers_.resize(static_cast<std::size_t>(config_.num_layers));
  team_->run([&](int rank) {
    for (std::int32_t l = rank; l < config_.num_layers; l += team_->size())
      layers_[static_cast<std::size_t>(l)] = load_layer(weights, l);
  });
}

std::int64_t DecoderCpu::bytes_of_a_row() const {
  std::int64_t bytes = config_.head_is_embedding() ? embedding_.bytes() : head_.matrix.bytes();
  for (const Linear* once : {&fusion_, &embedding_projection_, &output_projection_})
    bytes += once->matrix.bytes();
  for (const Layer& layer : layers_) bytes += bytes_read(layer);
  return bytes;
}

/// Bytes of a layer's matrices that a forward of one row reads.
std::int64_t DecoderCpu::bytes_read(const Layer& layer) const {
  const std::int64_t dense = layer.query_key_value.matrix.bytes() +
                             layer.attention_output.matrix.bytes() + layer.first.matrix.bytes() +
                             layer.down.matrix.bytes();
  if (layer.experts.first.empty()) return dense;
  const Experts& experts = layer.experts;
  return dense + experts.router.matrix.bytes() +
         config_.experts_per_token *
             (experts.first.front().matrix.bytes() + experts.down.front().matrix.bytes());
}

}  // namespace speclab::engines::cpu
