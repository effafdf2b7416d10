// The matrices of a layer, in the order in which the kernels read them.

#include "engines/cpu/packed_decoder.h"

#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

using enum TensorRole;
using Order = ColumnOrder;

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

/// Every head, and with `width` values a row every row, in whole vectors.
std::vector<float> read_heads(const Loading& from, TensorRole role, std::int32_t layer,
                              std::int64_t width) {
  std::vector<float> values = from.weights.read(role, layer);
  if (width > 1) values = widened(std::move(values), from.shape.hidden_size, width);
  return widened(std::move(values), from.shape.head_dim * width, from.widths.head * width);
}

/// Queries, keys and values side by side.
PackedMatrix load_query_key_value(const Loading& from, std::int32_t layer) {
  const Widths& widths = from.widths;
  std::vector<PackedMatrix::Part> parts =
      from.forms.query_key_value(layer, widths.query, widths.key);
  if (from.streamed != nullptr)
    return from.streamed->matrix(layer, {query, key, value}, std::move(parts), Order::beside);
  constexpr TensorRole kSides[] = {query, key, value};
  const std::vector<WeightForm> forms = from.forms.beside({query, key, value}, layer);
  PackedMatrix matrix(std::move(parts), widths.hidden);
  int column = 0;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (is_low_bit(forms[i]))
      matrix.set_columns(column, from.forms.read(kSides[i], layer, forms[i]).all());
    else
      matrix.set_columns(column, read_heads(from, kSides[i], layer, widths.hidden));
    column += kSides[i] == query ? widths.query : widths.key;
  }
  return matrix;
}

std::vector<float> load_query_key_value_bias(const Loading& from, std::int32_t layer) {
  std::vector<float> all;
  if (!from.shape.query_key_value_bias) return all;
  for (const TensorRole role : {query_bias, key_bias, value_bias}) {
    const std::vector<float> bias = read_heads(from, role, layer, 1);
    all.insert(all.end(), bias.begin(), bias.end());
  }
  return whole_blocks(std::move(all));
}

/// One of so many parts of the same size. A part that is all there is is moved.
std::vector<float> part_of(std::vector<float>& values, std::int64_t part, std::int64_t parts) {
  if (parts == 1) return std::move(values);
  const std::size_t size = values.size() / static_cast<std::size_t>(parts);
  const std::span of_part = std::span(values).subspan(static_cast<std::size_t>(part) * size, size);
  return {of_part.begin(), of_part.end()};
}

/// Gate and up, or up alone, in the weights of one feed-forward or of so many experts.
struct Firsts {
  TensorRole gate, up;
  std::int32_t size;  ///< true intermediate size
  std::int32_t count;
};

/// @param gates  not looked at where there are none @param size  in whole vectors
template <typename Rows>
PackedMatrix first_product(const Loading& from, WeightForm form, const Rows& gates, const Rows& ups,
                           std::int32_t size) {
  if (!from.shape.gated) return packed(form, size, from.widths.hidden, ups);
  PackedMatrix matrix(form, 2 * size, from.widths.hidden);
  matrix.set_gate_up(gates, ups);
  return matrix;
}

/// Stored rows need no padding: their sizes are whole vectors.
std::vector<Linear> load_stored_firsts(const Loading& from, const Firsts& firsts,
                                       std::int32_t layer, WeightForm form) {
  const LowBitRows gates =
                       from.shape.gated ? from.forms.read(firsts.gate, layer, form) : LowBitRows{},
                   ups = from.forms.read(firsts.up, layer, form);
  std::vector<Linear> products;
  for (std::int32_t e = 0; e < firsts.count; ++e)
    products.push_back({first_product(from, form, gates.part(e, firsts.count),
                                      ups.part(e, firsts.count), firsts.size)});
  return products;
}

std::vector<Linear> load_firsts(const Loading& from, const Firsts& firsts, std::int32_t layer) {
  const WeightForm form = from.forms.woven(firsts.gate, firsts.up, layer);
  if (is_low_bit(form)) return load_stored_firsts(from, firsts, layer, form);
  std::vector<float> gates;
  if (from.shape.gated) gates = from.weights.read(firsts.gate, layer);
  std::vector<float> ups = from.weights.read(firsts.up, layer);
  const std::int64_t row = from.widths.hidden;
  const auto whole = [&](std::vector<float> rows) {
    return widened(widened(std::move(rows), from.shape.hidden_size, row), firsts.size * row,
                   padded(firsts.size) * row);
  };
  std::vector<Linear> products;
  for (std::int32_t e = 0; e < firsts.count; ++e)
    products.push_back({first_product(from, form, whole(part_of(gates, e, firsts.count)),
                                      whole(part_of(ups, e, firsts.count)), padded(firsts.size))});
  return products;
}

PackedMatrix load_first(const Loading& from, std::int32_t layer) {
  const std::int32_t size = from.shape.intermediate_size;
  if (from.streamed == nullptr)
    return std::move(load_firsts(from, {gate, up, size, 1}, layer).front().matrix);
  const WeightForm form = from.forms.woven(gate, up, layer);
  if (!from.shape.gated) return from.streamed->matrix(layer, {up}, {{form, size}}, Order::beside);
  return from.streamed->matrix(layer, {gate, up}, {{form, 2 * size}}, Order::woven);
}

std::vector<float> load_first_bias(const Loading& from, std::int32_t layer) {
  if (!from.shape.feed_forward_bias) return {};
  const auto bias = [&](TensorRole role) {
    return widened(from.weights.read(role, layer), from.shape.intermediate_size, from.widths.inner);
  };
  return whole_blocks(from.shape.gated ? gate_up_bias(bias(gate_bias), bias(up_bias))
                                       : bias(up_bias));
}

std::vector<Linear> load_expert_downs(const Loading& from, std::int32_t layer) {
  const WeightForm form = from.forms.of(expert_down, layer);
  const std::int32_t hidden = from.shape.hidden_size, count = from.shape.num_experts,
                     depth = from.widths.expert;
  std::vector<Linear> products;
  if (is_low_bit(form)) {
    const LowBitRows downs = from.forms.read(expert_down, layer, form);
    for (std::int32_t e = 0; e < count; ++e)
      products.push_back({packed(form, hidden, depth, downs.part(e, count))});
    return products;
  }
  std::vector<float> downs = from.weights.read(expert_down, layer);
  for (std::int32_t e = 0; e < count; ++e)
    products.push_back({packed(form, hidden, depth,
                               widened(part_of(downs, e, count), from.shape.expert_size, depth))});
  return products;
}

}  // namespace

Norm load_norm(const Loading& from, TensorRole weight, TensorRole bias, std::int32_t layer) {
  const bool is_of_heads = weight == query_norm || weight == key_norm;
  const std::int32_t size = is_of_heads ? from.shape.head_dim : from.shape.hidden_size;
  const auto read = [&](TensorRole role) {
    if (!has_role(role, from.shape, layer)) return std::vector<float>{};
    return widened(from.weights.read(role, layer), size, padded(size));
  };
  return {read(weight), read(bias)};
}

std::vector<float> load_bias(const Loading& from, TensorRole role, std::int32_t layer) {
  if (!has_role(role, from.shape, layer)) return {};
  return whole_blocks(from.weights.read(role, layer));
}

PackedMatrix load_matrix(const Loading& from, TensorRole role, std::int32_t layer) {
  MatrixForms::Sized matrix = from.forms.sized(role, layer);
  const auto [form, columns] = matrix.parts.front();
  const auto depth = static_cast<int>(matrix.depth);
  if (from.streamed != nullptr)
    return from.streamed->matrix(layer, {role}, std::move(matrix.parts), Order::beside);
  if (is_low_bit(form))
    return packed(form, columns, depth, from.forms.read(role, layer, form).all());
  const std::int64_t true_depth = shape_of(role, from.shape).back();
  const std::int64_t groups = role == attention_output ? from.shape.num_heads : 1;
  return packed(form, columns, depth,
                widened(from.weights.read(role, layer), true_depth / groups, depth / groups));
}

Layer load_layer(const Loading& from, std::int32_t layer) {
  const auto norm = [&](TensorRole weight, TensorRole bias) {
    return load_norm(from, weight, bias, layer);
  };
  Layer loaded;
  loaded.attention_norm = norm(attention_norm, attention_norm_bias);
  loaded.attention_output_norm = norm(attention_output_norm, attention_output_norm_bias);
  loaded.feed_forward_norm = norm(feed_forward_norm, feed_forward_norm_bias);
  loaded.feed_forward_output_norm = norm(feed_forward_output_norm, feed_forward_output_norm_bias);
  loaded.query_key_value = {load_query_key_value(from, layer),
                            load_query_key_value_bias(from, layer)};
  loaded.attention_output = {load_matrix(from, attention_output, layer),
                             load_bias(from, attention_output_bias, layer)};
  loaded.head_norms = {norm(query_norm, query_norm_bias), norm(key_norm, key_norm_bias)};
  if (has_experts(from.shape, layer)) {
    const Firsts firsts{expert_gate, expert_up, from.shape.expert_size, from.shape.num_experts};
    loaded.experts = {{load_matrix(from, router, layer)},
                      load_firsts(from, firsts, layer),
                      load_expert_downs(from, layer)};
    return loaded;
  }
  loaded.first = {load_first(from, layer), load_first_bias(from, layer)};
  loaded.down = {load_matrix(from, down, layer), load_bias(from, down_bias, layer)};
  return loaded;
}

}  // namespace speclab::engines::cpu
