#pragma once
// Builds GGUF files byte by byte, wrong ones too.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::testing {

/// Bytes of a plain value as they lie in the file.
template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
/// A 64-bit length and the text.
std::string raw_string(const std::string& text);
/// A key, a value type and the value's bytes.
std::string metadata_entry(const std::string& key, std::uint32_t type, const std::string& value);
std::string tensor_entry(const std::string& name, const std::vector<std::uint64_t>& dims,
                         std::uint32_t type, std::uint64_t offset);

/// A file whose every part can be replaced before it is put together.
struct GgufBytes {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::vector<std::string> metadata;
  std::vector<std::string> tensors;
  std::uint64_t extra_tensors = 0;  ///< announced and not there
  std::uint64_t extra_metadata = 0;
  std::size_t alignment = 32;  ///< of the data section
  std::string data;

  std::string str() const;
};

/// Two small tensors, F32 [2, 3] and Q8_0 [32], with metadata of every value type.
GgufBytes small_gguf();

}  // namespace speclab::testing
