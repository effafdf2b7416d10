// The tensors that a decoder of a shape has, and their sizes.

#include <algorithm>
#include <functional>
#include <numeric>

#include "engines/models/decoder_weights.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using enum TensorRole;
using Sizes = std::vector<std::int64_t>;

struct RoleTraits {
  TensorRole role;
  bool of_layer;
  bool (*is_there)(const DecoderShape& s, std::int32_t layer);
  Sizes (*sizes)(const DecoderShape& s);
};

bool norms_inputs(const DecoderShape& s) {
  return s.norm_place == NormPlace::before || s.norm_place == NormPlace::around;
}
bool norms_outputs(const DecoderShape& s) { return s.norm_place != NormPlace::before; }
bool always(const DecoderShape&, std::int32_t) { return true; }
bool reads_features(const DecoderShape& s, std::int32_t) { return s.is_feature_transformer(); }
bool projects(const DecoderShape& s, std::int32_t) { return s.embedding_size > 0; }
bool norms_heads(const DecoderShape& s, std::int32_t) { return s.head_norm != HeadNorm::none; }
bool is_gated(const DecoderShape& s, std::int32_t l) { return s.gated && !has_experts(s, l); }
bool is_dense(const DecoderShape& s, std::int32_t l) { return !has_experts(s, l); }
bool has_input_norm(const DecoderShape& s, std::int32_t) { return norms_inputs(s); }
bool has_own_input_norm(const DecoderShape& s, std::int32_t) {
  return norms_inputs(s) && !s.shared_norm;
}
bool has_output_norm(const DecoderShape& s, std::int32_t) { return norms_outputs(s); }
bool adds_to_queries(const DecoderShape& s, std::int32_t) { return s.query_key_value_bias; }

/// A norm's bias is there where the norm is, if norms have biases.
template <bool (*has_norm)(const DecoderShape&, std::int32_t)>
bool with_bias(const DecoderShape& s, std::int32_t l) {
  return s.norm_bias && has_norm(s, l);
}
template <bool (*is_part)(const DecoderShape&, std::int32_t)>
bool with_feed_forward_bias(const DecoderShape& s, std::int32_t l) {
  return s.feed_forward_bias && is_part(s, l);
}
bool has_final_norm(const DecoderShape& s, std::int32_t) { return s.final_norm; }
bool has_expert_gate(const DecoderShape& s, std::int32_t l) { return has_experts(s, l) && s.gated; }

Sizes hidden(const DecoderShape& s) { return {s.hidden_size}; }
Sizes table(const DecoderShape& s) { return {s.vocab_size, s.table_width()}; }
Sizes keys(const DecoderShape& s) { return {s.kv_size(), s.hidden_size}; }
Sizes inner(const DecoderShape& s) { return {s.intermediate_size, s.hidden_size}; }
Sizes inner_bias(const DecoderShape& s) { return {s.intermediate_size}; }
Sizes key_values_bias(const DecoderShape& s) { return {s.kv_size()}; }
Sizes experts_inner(const DecoderShape& s) { return {s.num_experts, s.expert_size, s.hidden_size}; }
Sizes head_norm(const DecoderShape& s, std::int32_t heads) {
  switch (s.head_norm) {
    case HeadNorm::own:
      return {heads, s.head_dim};
    case HeadNorm::all_heads:
      return {std::int64_t{heads} * s.head_dim};
    default:
      return {s.head_dim};
  }
}
Sizes query_norm_sizes(const DecoderShape& s) { return head_norm(s, s.num_heads); }
Sizes key_norm_sizes(const DecoderShape& s) { return head_norm(s, s.num_kv_heads); }

const RoleTraits kTraits[] = {
    {embedding, false, always, table},
    {output_norm, false, has_final_norm, hidden},
    {head, false, always,
     [](const DecoderShape& s) { return Sizes{s.num_logits(), s.table_width()}; }},
    {attention_norm, true, has_input_norm, hidden},
    {query, true, always,
     [](const DecoderShape& s) { return Sizes{s.query_size(), s.hidden_size}; }},
    {key, true, always, keys},
    {value, true, always, keys},
    {attention_output, true, always,
     [](const DecoderShape& s) { return Sizes{s.hidden_size, s.query_size()}; }},
    {feed_forward_norm, true, has_own_input_norm, hidden},
    {gate, true, is_gated, inner},
    {up, true, is_dense, inner},
    {down, true, is_dense,
     [](const DecoderShape& s) { return Sizes{s.hidden_size, s.intermediate_size}; }},
    {embedding_norm, false, reads_features, hidden},
    {feature_norm, false, reads_features,
     [](const DecoderShape& s) { return Sizes{s.feature_size}; }},
    {fusion, false, reads_features,
     [](const DecoderShape& s) { return Sizes{s.hidden_size, s.hidden_size + s.feature_size}; }},
    {position_embedding, false,
     [](const DecoderShape& s, std::int32_t) { return s.positions == Positions::learned; },
     [](const DecoderShape& s) {
       return Sizes{s.context_length + s.position_offset, s.hidden_size};
     }},
    {embedding_projection, false, projects,
     [](const DecoderShape& s) { return Sizes{s.hidden_size, s.table_width()}; }},
    {output_projection, false, projects,
     [](const DecoderShape& s) { return Sizes{s.table_width(), s.hidden_size}; }},
    {output_norm_bias, false, with_bias<has_final_norm>, hidden},
    {head_bias, false, [](const DecoderShape& s, std::int32_t) { return s.head_bias; },
     [](const DecoderShape& s) { return Sizes{s.num_logits()}; }},
    {attention_norm_bias, true, with_bias<has_input_norm>, hidden},
    {feed_forward_norm_bias, true, with_bias<has_own_input_norm>, hidden},
    {attention_output_norm, true, has_output_norm, hidden},
    {attention_output_norm_bias, true, with_bias<has_output_norm>, hidden},
    {feed_forward_output_norm, true, has_output_norm, hidden},
    {feed_forward_output_norm_bias, true, with_bias<has_output_norm>, hidden},
    {query_bias, true, adds_to_queries,
     [](const DecoderShape& s) { return Sizes{s.query_size()}; }},
    {key_bias, true, adds_to_queries, key_values_bias},
    {value_bias, true, adds_to_queries, key_values_bias},
    {attention_output_bias, true,
     [](const DecoderShape& s, std::int32_t) { return s.attention_output_bias; }, hidden},
    {query_norm, true, norms_heads, query_norm_sizes},
    {key_norm, true, norms_heads, key_norm_sizes},
    {query_norm_bias, true, [](const DecoderShape& s, std::int32_t) { return s.head_norm_bias; },
     query_norm_sizes},
    {key_norm_bias, true, [](const DecoderShape& s, std::int32_t) { return s.head_norm_bias; },
     key_norm_sizes},
    {gate_bias, true, with_feed_forward_bias<is_gated>, inner_bias},
    {up_bias, true, with_feed_forward_bias<is_dense>, inner_bias},
    {down_bias, true, with_feed_forward_bias<is_dense>, hidden},
    {router, true, has_experts,
     [](const DecoderShape& s) { return Sizes{s.num_experts, s.hidden_size}; }},
    {expert_gate, true, has_expert_gate, experts_inner},
    {expert_up, true, has_experts, experts_inner},
    {expert_down, true, has_experts,
     [](const DecoderShape& s) { return Sizes{s.num_experts, s.hidden_size, s.expert_size}; }},
};

const RoleTraits& traits_of(TensorRole role) {
  for (const RoleTraits& traits : kTraits)
    if (traits.role == role) return traits;
  throw ContractError("a role without traits");
}

/// Elements of a role that a forward of one row reads.
std::int64_t elements_read(TensorRole role, const DecoderShape& s) {
  if (role == embedding || role == position_embedding) return 0;
  const std::int64_t all = num_elements(role, s);
  const bool of_experts = role == expert_gate || role == expert_up || role == expert_down;
  return of_experts ? all / s.num_experts * s.experts_per_token : all;
}

/// Sum over all tensors of what `count` says of their roles.
std::int64_t sum_over_tensors(const DecoderShape& s,
                              const std::function<std::int64_t(TensorRole)>& count) {
  std::int64_t total = 0;
  for (const RoleTraits& traits : kTraits)
    for (std::int32_t layer = 0; layer < (traits.of_layer ? s.num_layers : 1); ++layer)
      if (traits.is_there(s, layer)) total += count(traits.role);
  return total;
}

}  // namespace

std::span<const TensorRole> tensor_roles() {
  static const std::vector<TensorRole> roles = [] {
    std::vector<TensorRole> all;
    for (const RoleTraits& traits : kTraits) all.push_back(traits.role);
    return all;
  }();
  return roles;
}

bool is_of_layer(TensorRole role) { return traits_of(role).of_layer; }

bool is_norm_weight(TensorRole role) {
  return role == output_norm || role == attention_norm || role == feed_forward_norm ||
         role == embedding_norm || role == feature_norm || role == attention_output_norm ||
         role == feed_forward_output_norm || role == query_norm || role == key_norm;
}

bool is_bias(TensorRole role) {
  return role == output_norm_bias || role == head_bias || role == attention_norm_bias ||
         role == feed_forward_norm_bias || role == attention_output_norm_bias ||
         role == feed_forward_output_norm_bias || role == query_bias || role == key_bias ||
         role == value_bias || role == attention_output_bias || role == query_norm_bias ||
         role == key_norm_bias || role == gate_bias || role == up_bias || role == down_bias;
}

bool has_role(TensorRole role, const DecoderShape& shape, std::int32_t layer) {
  return traits_of(role).is_there(shape, layer);
}

Sizes shape_of(TensorRole role, const DecoderShape& shape) { return traits_of(role).sizes(shape); }

std::int64_t num_elements(TensorRole role, const DecoderShape& shape) {
  const Sizes sizes = shape_of(role, shape);
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t parameters_read(const DecoderShape& shape) {
  return sum_over_tensors(shape, [&](TensorRole role) { return elements_read(role, shape); });
}

std::int64_t DecoderShape::num_parameters() const {
  return sum_over_tensors(*this, [this](TensorRole role) {
    const bool is_table = role == embedding || role == head;
    if (is_feature_transformer() && is_table) return std::int64_t{0};
    return role == head && tied_embeddings ? 0 : num_elements(role, *this);
  });
}

}  // namespace speclab::engines
