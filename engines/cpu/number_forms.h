#pragma once
// How a model on the CPU holds its weights and takes its products, and the low-bit forms and
// block formats of files that it keeps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/cpu/kernels.h"
#include "engines/cpu/weight_form.h"
#include "engines/formats/dequantise.h"

namespace speclab::engines::cpu {

/// The form that holds a GGUF type as it is; nothing for a type that is expanded.
std::optional<WeightForm> low_bit_form(std::string_view gguf_type);
/// "Q4_1", "bfloat16"
std::string_view name_of(WeightForm form);
/// @param form  a low-bit one
const BlockFormat& block_format(WeightForm form);

/// Blocks of Q8_0 with the nearest codes. @param values  a multiple of 32, finite
/// @source ggml's reference quantisation: scale = largest / 127 in half precision
std::vector<std::byte> quantised_to_q8_0(std::span<const float> values);

/// The form of weights that are held one number each.
constexpr WeightForm expanded_form(ElementType type) {
  return type == ElementType::float32 ? WeightForm::float32 : WeightForm::bfloat16;
}

/// The weights of products.
enum class WeightChoice : std::uint8_t {
  expanded,  ///< one number each, in the element type
  file,      ///< as the file stores them where its type is a low-bit form, else expanded
  fastest,   ///< both: each product of few rows takes the file's, of many rows the expanded ones
  q8,        ///< int8 in groups of 32, made on loading, where a group fits the depth
};

struct NumberForms {
  NumberForms() = default;
  /// Expanded weights of this type; not explicit, so that a type alone is a choice.
  NumberForms(ElementType expanded) : type(expanded) {}  // NOLINT(google-explicit-constructor)
  NumberForms(WeightChoice choice, ProductKind product)
      : weights(choice),
        kind(product),
        cache(product == ProductKind::exact ? ElementType::float32 : ElementType::bfloat16) {}

  ElementType type = ElementType::bfloat16;  ///< of expanded weights
  WeightChoice weights = WeightChoice::expanded;
  ProductKind kind = ProductKind::exact;  ///< of low-bit weights
  ElementType cache = ElementType::float32;
  /// Memory that the weights may take; layers beyond it are read at every forward. Nothing: all
  /// stay.
  std::optional<std::int64_t> resident_bytes{};

  /// Element type of activations between products. The inexact ones make their own of it.
  ElementType activations() const {
    return kind == ProductKind::exact ? type : ElementType::float32;
  }
  WeightForm expanded() const { return expanded_form(type); }
  /// The arithmetic, as tables name it. Stored weights at exact products give the numbers of
  /// bfloat16, and have its name.
  std::string name() const;
};

}  // namespace speclab::engines::cpu
