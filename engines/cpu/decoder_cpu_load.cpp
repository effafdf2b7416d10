// Weights into the order in which the kernels read them.

#include <algorithm>

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {

using Order = StreamedColumns::Order;

namespace {

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
DecoderCpu::Linear DecoderCpu::load_linear(const Loading& from, TensorRole weight, TensorRole bias,
                                           std::int32_t layer, std::int32_t columns,
                                           std::int32_t depth) const {
  const WeightForm form = from.forms.of(weight, layer);
  Linear linear;
  if (from.streamed != nullptr)
    linear.matrix = streamed_matrix(from, {{weight}}, {{form, columns}}, Order::beside);
  else if (is_low_bit(form))
    linear.matrix = packed(form, columns, depth, from.forms.read(weight, layer, form).all());
  else
    linear.matrix = packed(form, columns, padded(depth),
                           widened(from.weights.read(weight, layer), depth, padded(depth)));
  if (bias != weight && has_role(bias, config_, layer))
    linear.bias = whole_blocks(from.weights.read(bias, layer));
  return linear;
}

/// Every head, and with `width` values a row every row, in whole vectors.
std::vector<float> DecoderCpu::read_heads(const DecoderWeights& weights, TensorRole role,
                                          std::int32_t layer, std::int64_t width) const {
  std::vector<float> values = weights.read(role, layer);
  if (width > 1) values = widened(std::move(values), config_.hidden_size, width);
  return widened(std::move(values), config_.head_dim * width, widths_.head * width);
}

/// Queries, keys and values side by side.
PackedMatrix DecoderCpu::load_query_key_value(const Loading& from, std::int32_t layer) const {
  using enum TensorRole;
  struct Side {
    TensorRole role;
    std::int32_t columns;
  };
  if (from.streamed != nullptr)
    return streamed_matrix(from, {{query, key, value}},
                           from.forms.query_key_value(layer, widths_.query, widths_.key),
                           Order::beside);
  const Side sides[] = {{query, widths_.query}, {key, widths_.key}, {value, widths_.key}};
  const std::vector<WeightForm> forms = from.forms.beside({query, key, value}, layer);
  PackedMatrix matrix(from.forms.query_key_value(layer, widths_.query, widths_.key),
                      widths_.hidden);
  int column = 0;
  for (std::size_t i = 0; i < forms.size(); column += sides[i++].columns) {
    if (is_low_bit(forms[i]))
      matrix.set_columns(column, from.forms.read(sides[i].role, layer, forms[i]).all());
    else
      matrix.set_columns(column, read_heads(from.weights, sides[i].role, layer, widths_.hidden));
  }
  return matrix;
}

void DecoderCpu::load_attention(const Loading& from, std::int32_t layer, Layer& loaded) const {
  using enum TensorRole;
  Linear& all = loaded.query_key_value;
  all.matrix = load_query_key_value(from, layer);
  if (config_.query_key_value_bias) {
    for (const TensorRole role : {query_bias, key_bias, value_bias}) {
      const std::vector<float> bias = read_heads(from.weights, role, layer, 1);
      all.bias.insert(all.bias.end(), bias.begin(), bias.end());
    }
    all.bias = whole_blocks(std::move(all.bias));
  }
  const WeightForm form = from.forms.of(attention_output, layer);
  if (from.streamed != nullptr)
    loaded.attention_output.matrix =
        streamed_matrix(from, {{attention_output}}, {{form, config_.hidden_size}}, Order::beside);
  else if (is_low_bit(form))
    loaded.attention_output.matrix = packed(form, config_.hidden_size, widths_.query,
                                            from.forms.read(attention_output, layer, form).all());
  else
    loaded.attention_output.matrix =
        packed(form, config_.hidden_size, widths_.query,
               widened(from.weights.read(attention_output, layer), config_.head_dim, widths_.head));
  if (config_.attention_output_bias)
    loaded.attention_output.bias = whole_blocks(from.weights.read(attention_output_bias, layer));
  const auto head_norm = [&](TensorRole weight, TensorRole bias) {
    Norm norm;
    if (has_role(weight, config_, layer)) norm.weight = read_heads(from.weights, weight, layer, 1);
    if (has_role(bias, config_, layer)) norm.bias = read_heads(from.weights, bias, layer, 1);
    return norm;
  };
  loaded.head_norms = {head_norm(query_norm, query_norm_bias), head_norm(key_norm, key_norm_bias)};
}

/// Gate and up interleaved, or up alone. @param size  true intermediate size
PackedMatrix DecoderCpu::first_product(WeightForm form, std::vector<float> gate,
                                       std::vector<float> up, std::int32_t size) const {
  const std::int64_t row = widths_.hidden;
  const auto whole = [&](std::vector<float> rows) {
    return widened(widened(std::move(rows), config_.hidden_size, row), size * row,
                   padded(size) * row);
  };
  if (!config_.gated) return packed(form, padded(size), widths_.hidden, whole(std::move(up)));
  PackedMatrix matrix(form, 2 * padded(size), widths_.hidden);
  matrix.set_gate_up(whole(std::move(gate)), whole(std::move(up)));
  return matrix;
}

/// Stored rows need no padding: their sizes are whole vectors.
PackedMatrix DecoderCpu::first_product(WeightForm form, StoredRows gate, StoredRows up,
                                       std::int32_t size) const {
  if (!config_.gated) return packed(form, size, widths_.hidden, up);
  PackedMatrix matrix(form, 2 * size, widths_.hidden);
  matrix.set_gate_up(gate, up);
  return matrix;
}

DecoderCpu::Linear DecoderCpu::load_first(const Loading& from, std::int32_t layer) const {
  using enum TensorRole;
  const std::int32_t size = config_.intermediate_size;
  const WeightForm form = from.forms.woven(gate, up, layer);
  Linear linear;
  if (from.streamed != nullptr) {
    linear.matrix = config_.gated
                        ? streamed_matrix(from, {{gate, up}}, {{form, 2 * size}}, Order::woven)
                        : streamed_matrix(from, {{up}}, {{form, size}}, Order::beside);
  } else if (is_low_bit(form)) {
    const LowBitRows gates = config_.gated ? from.forms.read(gate, layer, form) : LowBitRows{};
    linear.matrix = first_product(form, gates.all(), from.forms.read(up, layer, form).all(), size);
  } else {
    linear.matrix =
        first_product(form, config_.gated ? from.weights.read(gate, layer) : std::vector<float>{},
                      from.weights.read(up, layer), size);
  }
  if (!config_.feed_forward_bias) return linear;
  const auto bias = [&](TensorRole role) {
    return widened(from.weights.read(role, layer), size, widths_.inner);
  };
  linear.bias =
      whole_blocks(config_.gated ? gate_up_bias(bias(gate_bias), bias(up_bias)) : bias(up_bias));
  return linear;
}

DecoderCpu::Layer DecoderCpu::load_layer(const Loading& from, std::int32_t layer) const {
  using enum TensorRole;
  const auto norm = [&](TensorRole weight, TensorRole bias) {
    return load_norm(from.weights, weight, bias, layer);
  };
  Layer loaded;
  loaded.attention_norm = norm(attention_norm, attention_norm_bias);
  loaded.attention_output_norm = norm(attention_output_norm, attention_output_norm_bias);
  loaded.feed_forward_norm = norm(feed_forward_norm, feed_forward_norm_bias);
  loaded.feed_forward_output_norm = norm(feed_forward_output_norm, feed_forward_output_norm_bias);
  load_attention(from, layer, loaded);
  if (config_.has_experts(layer)) {
    load_experts(from, layer, loaded.experts);
    return loaded;
  }
  loaded.first = load_first(from, layer);
  loaded.down =
      load_linear(from, down, down_bias, layer, config_.hidden_size, config_.intermediate_size);
  return loaded;
}

/// Embedding and head.
void DecoderCpu::load_vocabulary(const Loading& from) {
  using enum TensorRole;
  const std::int32_t table = config_.table_width();
  embedding_ = load_linear(from, embedding, embedding, 0, config_.vocab_size, table);
  if (!config_.head_is_embedding())
    head_.matrix = load_linear(from, head, head, 0, config_.num_logits(), table).matrix;
}

void DecoderCpu::load_tables(const Loading& from) {
  using enum TensorRole;
  const std::int32_t table = config_.table_width();
  if (config_.head_bias) head_.bias = whole_blocks(from.weights.read(head_bias, 0));
  if (config_.positions == Positions::learned)
    position_embedding_ =
        widened(from.weights.read(position_embedding, 0), config_.hidden_size, widths_.hidden);
  if (config_.embedding_size > 0) {
    embedding_projection_ = load_linear(from, embedding_projection, embedding_projection, 0,
                                        config_.hidden_size, table);
    output_projection_ =
        load_linear(from, output_projection, output_projection, 0, table, config_.hidden_size);
  }
  if (config_.is_feature_transformer()) {
    embedding_norm_.weight = from.weights.read(embedding_norm, 0);
    feature_norm_.weight = from.weights.read(feature_norm, 0);
    fusion_ = load_linear(from, fusion, fusion, 0, config_.hidden_size,
                          config_.hidden_size + config_.feature_size);
  }
  output_norm_ = load_norm(from.weights, output_norm, output_norm_bias, 0);
}

void DecoderCpu::load(const DecoderWeights& weights) {
  const Loading from{weights, MatrixForms(config_, weights, numbers_)};
  const WeightForm table = from.forms.of(TensorRole::embedding, 0);
  rounds_embedding_ =
      table == WeightForm::bfloat16 || (is_low_bit(table) && numbers_.kind == ProductKind::exact);
  const std::optional<StreamPlan> plan = stream_plan(config_, weights, numbers_);
  const bool streams = plan && plan->streams();
  first_streamed_ = streams ? plan->num_resident_layers() : config_.num_layers;
  if (!streams) load_vocabulary(from);
  load_tables(from);
  layers_.resize(static_cast<std::size_t>(config_.num_layers));
  team_->run([&](int rank) {
    for (std::int32_t l = rank; l < first_streamed_; l += team_->size())
      layers_[static_cast<std::size_t>(l)] = load_layer(from, l);
  });
  if (streams) load_streamed(from, *plan);
  if (numbers_.weights == WeightChoice::fastest) load_expanded(weights);
  deepest_ = std::max({widths_.hidden, widths_.table, widths_.query, widths_.inner, widths_.expert,
                       fusion_.matrix.depth()});
  if (!streams) return;
  for (Scratch& scratch : scratch_) {
    scratch.made = make_huge_buffer(bytes_of_deepest_block(4));
    scratch.values.resize(static_cast<std::size_t>(deepest_));
  }
}

/// The expanded form of every low-bit product beside it.
void DecoderCpu::load_expanded(const DecoderWeights& weights) {
  const NumberForms numbers = numbers_.type;
  const Loading from{weights, MatrixForms(config_, weights, numbers)};
  const auto add = [](Linear& to, Linear expanded) {
    if (to.matrix.is_low_bit()) to.expanded = std::move(expanded.matrix);
  };
  const std::int32_t table = config_.table_width();
  if (config_.head_is_embedding())
    add(embedding_, load_linear(from, TensorRole::embedding, TensorRole::embedding, 0,
                                config_.vocab_size, table));
  else
    add(head_,
        load_linear(from, TensorRole::head, TensorRole::head, 0, config_.num_logits(), table));
  team_->run([&](int rank) {
    for (std::int32_t l = rank; l < config_.num_layers; l += team_->size()) {
      Layer& layer = layers_[static_cast<std::size_t>(l)];
      Layer expanded = load_layer(from, l);
      add(layer.query_key_value, std::move(expanded.query_key_value));
      add(layer.attention_output, std::move(expanded.attention_output));
      add(layer.first, std::move(expanded.first));
      add(layer.down, std::move(expanded.down));
      for (std::size_t e = 0; e < layer.experts.first.size(); ++e) {
        add(layer.experts.first[e], std::move(expanded.experts.first[e]));
        add(layer.experts.down[e], std::move(expanded.experts.down[e]));
      }
    }
  });
}

std::int64_t DecoderCpu::bytes_of_a_row() const {
  const Linear& table = config_.head_is_embedding() ? embedding_ : head_;
  std::int64_t bytes = form_for(table, 1).bytes();
  for (const Linear* once : {&fusion_, &embedding_projection_, &output_projection_})
    bytes += once->matrix.bytes();
  for (const Layer& layer : layers_) bytes += bytes_read(layer);
  return bytes;
}

/// Bytes of a layer's matrices that a forward of one row reads.
std::int64_t DecoderCpu::bytes_read(const Layer& layer) const {
  const auto bytes = [this](const Linear& linear) { return form_for(linear, 1).bytes(); };
  const std::int64_t dense = bytes(layer.query_key_value) + bytes(layer.attention_output) +
                             bytes(layer.first) + bytes(layer.down);
  if (layer.experts.first.empty()) return dense;
  const Experts& experts = layer.experts;
  return dense + bytes(experts.router) +
         config_.experts_per_token * (bytes(experts.first.front()) + bytes(experts.down.front()));
}

}  // namespace speclab::engines::cpu
