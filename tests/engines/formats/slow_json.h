#pragma once
// JSON by RFC 8259, strictly, without a library: a text is a value or is refused.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speclab::testing {

struct SlowJson {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string
      text;  ///< of a number its digits, of a string its characters, of a bool true or false
  std::vector<std::string> keys;  ///< of an object
  std::vector<SlowJson> items;    ///< of an array, or the value of each key
  std::size_t offset = 0;         ///< of a number's digits, in the text

  const SlowJson* find(const std::string& key) const;
  /// The number, if it is written without fraction and exponent and lies in [0, 2^63).
  std::optional<std::int64_t> natural() const;
};

/// @param max_depth  arrays and objects inside each other, at most
/// @throws SlowRefusal also for a key that comes twice and for a number too large for a double
SlowJson read_json_slowly(const std::string& text, int max_depth);

}  // namespace speclab::testing
