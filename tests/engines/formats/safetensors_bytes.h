#pragma once
#include <cstdint>
#include <cstring>
#include <string>

namespace speclab::testing {

/// A safetensors file of that header text and data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

/// The entry of one tensor in the header.
inline std::string safetensors_entry(const std::string& name, const std::string& dtype,
                                     const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

}  // namespace speclab::testing
