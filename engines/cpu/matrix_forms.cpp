#include "engines/cpu/matrix_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engines/cpu/number_forms.h"
#include "engines/cpu/padding.h"
#include "engines/formats/dequantise.h"

namespace speclab::engines::cpu {
namespace {

using enum TensorRole;

/// Whether products read the role's weights; those of the embedding table count.
bool is_matrix(TensorRole role) {
  return !is_norm_weight(role) && !is_bias(role) && role != position_embedding;
}

bool has_heads(TensorRole role) {
  return role == query || role == key || role == value || role == attention_output;
}

bool is_woven(TensorRole role) {
  return role == gate || role == up || role == expert_gate || role == expert_up;
}

std::int64_t depth_of(TensorRole role, const DecoderShape& shape) {
  return shape_of(role, shape).back();
}

}  // namespace

StoredRows LowBitRows::part(std::int64_t part, std::int64_t parts) const {
  const std::size_t size = bytes.size() / static_cast<std::size_t>(parts);
  return {std::span(bytes).subspan(static_cast<std::size_t>(part) * size, size), row_bytes};
}

/// Rows that are widened, or cut into heads that are, have no whole blocks.
bool MatrixForms::fits(TensorRole role) const {
  if (!is_matrix(role)) return false;
  if (has_heads(role) && padded(shape_.head_dim) != shape_.head_dim) return false;
  const std::vector<std::int64_t> sizes = shape_of(role, shape_);
  const std::int64_t rows = sizes[sizes.size() - 2];
  if (is_woven(role) && rows % kPadding != 0) return false;
  return sizes.back() % kGroupDepth == 0;
}

std::optional<WeightForm> MatrixForms::low_bit(TensorRole role, std::int32_t layer) const {
  if (numbers_.weights == WeightChoice::expanded || !fits(role)) return std::nullopt;
  if (numbers_.weights == WeightChoice::q8)
    return role == router ? std::nullopt : std::optional(WeightForm::q8_0);
  return low_bit_form(weights_.stored_type(role, layer));
}

WeightForm MatrixForms::of(TensorRole role, std::int32_t layer) const {
  return low_bit(role, layer).value_or(numbers_.expanded());
}

std::vector<WeightForm> MatrixForms::beside(std::initializer_list<TensorRole> roles,
                                            std::int32_t layer) const {
  std::vector<WeightForm> forms;
  for (const TensorRole role : roles) forms.push_back(of(role, layer));
  const bool all_low_bit = std::ranges::all_of(forms, is_low_bit);
  const bool are_one = std::ranges::count(forms, forms.front()) == std::ssize(forms);
  const bool whole_blocks = std::ranges::all_of(
      roles, [&](TensorRole role) { return shape_of(role, shape_).front() % kBlockColumns == 0; });
  if (!are_one && !(all_low_bit && whole_blocks)) std::ranges::fill(forms, numbers_.expanded());
  return forms;
}

std::vector<PackedMatrix::Part> MatrixForms::query_key_value(std::int32_t layer,
                                                             std::int32_t query_columns,
                                                             std::int32_t key_columns) const {
  const std::vector<WeightForm> forms = beside({query, key, value}, layer);
  if (std::ranges::count(forms, forms.front()) == std::ssize(forms))
    return {{forms.front(), query_columns + 2 * key_columns}};
  return {{forms[0], query_columns}, {forms[1], key_columns}, {forms[2], key_columns}};
}

WeightForm MatrixForms::woven(TensorRole gate, TensorRole up, std::int32_t layer) const {
  const WeightForm form = of(up, layer);
  return !shape_.gated || of(gate, layer) == form ? form : numbers_.expanded();
}

MatrixForms::Sized MatrixForms::sized(TensorRole role, std::int32_t layer) const {
  const std::vector<std::int64_t> sizes = shape_of(role, shape_);
  const auto columns = static_cast<int>(sizes[sizes.size() - 2]);
  const std::int64_t group = role == attention_output ? shape_.head_dim : sizes.back();
  return {{{of(role, layer), columns}},
          sizes.back() / group * padded(static_cast<std::int32_t>(group))};
}

std::vector<MatrixForms::Sized> MatrixForms::of_layer(std::int32_t layer) const {
  const Widths widths(shape_);
  const std::int32_t firsts = shape_.gated ? 2 : 1;
  std::vector<Sized> all{{query_key_value(layer, widths.query, widths.key), widths.hidden},
                         sized(attention_output, layer)};
  if (!has_experts(shape_, layer)) {
    all.push_back({{{woven(gate, up, layer), firsts * widths.inner}}, widths.hidden});
    all.push_back(sized(down, layer));
    return all;
  }
  all.push_back(sized(router, layer));
  all.push_back({{{woven(expert_gate, expert_up, layer), firsts * widths.expert}}, widths.hidden});
  all.push_back(sized(expert_down, layer));
  for (Sized& of_experts : std::span(all).last(2)) {
    of_experts.count = shape_.num_experts;
    of_experts.count_read = shape_.experts_per_token;
  }
  return all;
}

std::int64_t MatrixForms::bytes_to_read(TensorRole role, std::int32_t layer) const {
  const std::optional<WeightForm> form = low_bit(role, layer);
  const std::int64_t expanded = weights_.bytes_to_read(role, layer);
  if (!form) return expanded;
  const BlockFormat& format = block_format(*form);
  const std::int64_t stored =
      num_elements(role, shape_) / format.block_elements * format.block_bytes;
  if (numbers_.weights == WeightChoice::q8) return expanded + stored;
  return numbers_.weights == WeightChoice::fastest ? expanded : 2 * stored;
}

LowBitRows MatrixForms::read(TensorRole role, std::int32_t layer, WeightForm form) const {
  if (quantises()) return quantised(role, weights_.read(role, layer));
  return {weights_.read_stored(role, layer), row_bytes(role, form)};
}

LowBitRows MatrixForms::quantised(TensorRole role, std::span<const float> values) const {
  return {quantised_to_q8_0(values), row_bytes(role, WeightForm::q8_0)};
}

std::int64_t MatrixForms::row_bytes(TensorRole role, WeightForm form) const {
  const BlockFormat& format = block_format(form);
  return depth_of(role, shape_) / format.block_elements * format.block_bytes;
}

std::string MatrixForms::described() const {
  if (numbers_.weights == WeightChoice::expanded) return "";
  std::set<std::string_view> kept, others;
  for (const TensorRole role : tensor_roles())
    for (std::int32_t layer = 0; layer < (is_of_layer(role) ? shape_.num_layers : 1); ++layer) {
      if (!is_matrix(role) || !has_role(role, shape_, layer)) continue;
      const WeightForm form = of(role, layer);
      (cpu::is_low_bit(form) ? kept : others).insert(name_of(form));
    }
  if (kept.empty()) return "";
  std::string text = fmt::format("weights in {}", fmt::join(kept, ", "));
  if (numbers_.weights == WeightChoice::fastest)
    return text + fmt::format(" or {}", name_of(numbers_.expanded()));
  if (!others.empty()) text += fmt::format(", some in {}", fmt::join(others, ", "));
  return text;
}

}  // namespace speclab::engines::cpu
