#pragma once
// What the slow readers give. They are written from the formats' descriptions and the table of
// limits, read one byte at a time, and share no code with engines/formats, so that the two can
// judge each other.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace speclab::testing {

struct SlowTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;  ///< outermost first
  std::vector<float> values;        ///< empty for types that are no float
};

/// A place in the file where an integer stands: little-endian in a binary format, digits in a text.
struct IntegerField {
  std::size_t offset;
  std::size_t size;  ///< bytes
};

struct SlowModel {
  std::vector<std::string> metadata;  ///< "key = value" in the order of the file
  std::vector<SlowTensor> tensors;
  std::vector<IntegerField> fields;
};

/// The file breaks a rule of its format or a limit.
struct SlowRefusal {
  std::string rule;
};

/// Each @throws SlowRefusal
SlowModel read_gguf_slowly(const std::string& bytes);
SlowModel read_safetensors_slowly(const std::string& bytes);
/// The fields that are come across before the file is refused or read to its end, in rising order.
std::vector<IntegerField> gguf_fields_slowly(const std::string& bytes);
std::vector<IntegerField> safetensors_fields_slowly(const std::string& bytes);

/// Value `i` of a tensor whose blocks of that type lie in `data`. @param type  "F32", "Q4_K", ...
float slow_value(const std::string& type, const std::string& data, std::size_t i);
struct SlowType {
  std::uint32_t number;  ///< in GGUF
  const char* name;
  std::uint64_t block_elements, block_bytes;
};
/// The element types of GGUF that are read.
const std::vector<SlowType>& slow_types();

}  // namespace speclab::testing
