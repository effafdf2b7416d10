#include "engines/cpu/number_forms.h"

#include <fmt/format.h>

namespace speclab::engines::cpu {
namespace {

const char* name_of(ElementType type) {
  return type == ElementType::float32 ? "float32" : "bfloat16";
}

}  // namespace

std::string NumberForms::name() const {
  const std::string weights_name = weights == WeightChoice::q8 ? "q8" : "file";
  if (kind == ProductKind::exact) return weights == WeightChoice::q8 ? weights_name : name_of(type);
  const std::string product =
      fmt::format("{} x {}", weights_name, kind == ProductKind::int8 ? "int8" : "bfloat16");
  return cache == ElementType::float32 ? product + ", cache float32" : product;
}

}  // namespace speclab::engines::cpu
