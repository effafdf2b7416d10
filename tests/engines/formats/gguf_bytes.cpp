#include "tests/engines/formats/gguf_bytes.h"

namespace speclab::testing {

std::string raw_string(const std::string& text) { return raw<std::uint64_t>(text.size()) + text; }

std::string metadata_entry(const std::string& key, std::uint32_t type, const std::string& value) {
  return raw_string(key) + raw(type) + value;
}

std::string tensor_entry(const std::string& name, const std::vector<std::uint64_t>& dims,
                         std::uint32_t type, std::uint64_t offset) {
  std::string bytes = raw_string(name) + raw(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t dim : dims) bytes += raw(dim);
  return bytes + raw(type) + raw(offset);
}

std::string GgufBytes::str() const {
  std::string bytes = magic + raw(version) + raw<std::uint64_t>(tensors.size() + extra_tensors) +
                      raw<std::uint64_t>(metadata.size() + extra_metadata);
  for (const std::string& entry : metadata) bytes += entry;
  for (const std::string& entry : tensors) bytes += entry;
  if (alignment != 0) bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
  return bytes + data;
}

GgufBytes small_gguf() {
  GgufBytes file;
  file.metadata = {
      metadata_entry("u8", 0, raw<std::uint8_t>(200)),
      metadata_entry("i8", 1, raw<std::int8_t>(-100)),
      metadata_entry("u16", 2, raw<std::uint16_t>(60000)),
      metadata_entry("i16", 3, raw<std::int16_t>(-30000)),
      metadata_entry("u32", 4, raw<std::uint32_t>(4000000000U)),
      metadata_entry("i32", 5, raw<std::int32_t>(-2000000000)),
      metadata_entry("f32", 6, raw(1.5F)),
      metadata_entry("bool", 7, raw<std::uint8_t>(1)),
      metadata_entry("string", 8, raw_string("text")),
      metadata_entry("u64", 10, raw<std::uint64_t>(UINT64_MAX)),
      metadata_entry("i64", 11, raw<std::int64_t>(INT64_MIN)),
      metadata_entry("f64", 12, raw(2.25)),
      metadata_entry(
          "strings", 9,
          raw<std::uint32_t>(8) + raw<std::uint64_t>(2) + raw_string("a") + raw_string("")),
      metadata_entry("integers", 9,
                     raw<std::uint32_t>(5) + raw<std::uint64_t>(2) + raw<std::int32_t>(-7) +
                         raw<std::int32_t>(9)),
      metadata_entry("naturals", 9,
                     raw<std::uint32_t>(2) + raw<std::uint64_t>(1) + raw<std::uint16_t>(65535)),
  };
  file.tensors = {tensor_entry("table", {3, 2}, 0, 0), tensor_entry("row", {32}, 8, 32)};
  for (int i = 0; i < 6; ++i) file.data += raw(static_cast<float>(i) + 0.5F);
  file.data.resize(32, '\0');
  file.data += raw<std::uint16_t>(0x3800);  // the half 0.5
  for (int i = 0; i < 32; ++i) file.data += raw(static_cast<std::int8_t>(i - 16));
  return file;
}

}  // namespace speclab::testing
