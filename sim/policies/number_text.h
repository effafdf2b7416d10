#pragma once
#include <array>
#include <charconv>
#include <string>

namespace speclab {

/// The shortest text that reads back as this number, for the names of policies.
inline std::string number_text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace speclab
