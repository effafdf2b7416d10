#include "engines/cpu/number_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

struct NamedForm {
  WeightForm form;
  std::string_view name;
};
constexpr NamedForm kLowBitForms[] = {{WeightForm::q4_0, "Q4_0"}, {WeightForm::q4_1, "Q4_1"},
                                      {WeightForm::q5_0, "Q5_0"}, {WeightForm::q8_0, "Q8_0"},
                                      {WeightForm::q4_k, "Q4_K"}, {WeightForm::q6_k, "Q6_K"}};

const char* name_of(ElementType type) {
  return type == ElementType::float32 ? "float32" : "bfloat16";
}

}  // namespace

std::optional<WeightForm> low_bit_form(std::string_view gguf_type) {
  for (const NamedForm& each : kLowBitForms)
    if (each.name == gguf_type) return each.form;
  return std::nullopt;
}

std::string_view name_of(WeightForm form) {
  for (const NamedForm& each : kLowBitForms)
    if (each.form == form) return each.name;
  return form == WeightForm::float32 ? "float32" : "bfloat16";
}

const BlockFormat& block_format(WeightForm form) {
  const BlockFormat* format = find_block_format(name_of(form));
  SPECLAB_EXPECT(format != nullptr, "a low-bit form has a GGUF type");
  return *format;
}

std::vector<std::byte> quantised_to_q8_0(std::span<const float> values) {
  const BlockFormat& format = block_format(WeightForm::q8_0);
  std::vector<std::byte> blocks(values.size() / kGroupDepth * format.block_bytes);
  std::byte* out = blocks.data();
  for (std::size_t i = 0; i < values.size(); i += kGroupDepth, out += format.block_bytes) {
    const auto group = values.subspan(i, kGroupDepth);
    float largest = 0;
    for (const float value : group) largest = std::max(largest, std::abs(value));
    const float scale = largest / 127.0f;
    const std::uint16_t half = float_to_half(scale);
    std::memcpy(out, &half, sizeof half);
    for (std::size_t k = 0; k < kGroupDepth; ++k)
      out[2 + k] = static_cast<std::byte>(
          static_cast<std::int8_t>(scale > 0 ? std::round(group[k] / scale) : 0.0f));
  }
  return blocks;
}

std::string NumberForms::name() const {
  const std::string weights_name = weights == WeightChoice::q8 ? "q8" : "file";
  if (kind == ProductKind::exact) return weights == WeightChoice::q8 ? weights_name : name_of(type);
  const std::string product =
      fmt::format("{} x {}", weights_name, kind == ProductKind::int8 ? "int8" : "bfloat16");
  return cache == ElementType::float32 ? product + ", cache float32" : product;
}

}  // namespace speclab::engines::cpu
