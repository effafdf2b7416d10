#pragma once
// How a model on the CPU holds its weights and takes its products.

#include <cstdint>
#include <optional>
#include <string>

#include "engines/cpu/kernels.h"

namespace speclab::engines::cpu {

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
