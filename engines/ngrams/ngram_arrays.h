#pragma once
// What an n-gram model is made of, in memory as in its file.
//
// Contexts are numbered breadth first: 0 is the empty one, then those of one token by that token,
// then those of two by the latest and then the older token, and so on. Every context lists the
// tokens seen after it. An n-gram, a context with a successor, costs 5 bytes; a context 6.25, and 3
// more where longer contexts may continue it.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace speclab::engines {

// Probabilities in 16 bits: five bits of exponent and eleven of mantissa, for values from 2^-31 to
// just below 2.

inline constexpr std::uint16_t kSmallFloatOne = 31u << 11;
/// Half a unit in the last place, relative: the largest error of a value within the range.
inline constexpr double kSmallFloatError = 1.0 / 4096;

inline float from_small_float(std::uint16_t code) {
  return std::bit_cast<float>((96u << 23) + (std::uint32_t{code} << 12));
}

/// The nearest code; values beyond an end of the range get that end.
inline std::uint16_t to_small_float(float value) {
  if (!(value > from_small_float(0))) return 0;
  if (value >= from_small_float(0xFFFF)) return 0xFFFF;
  return static_cast<std::uint16_t>(
      (std::bit_cast<std::uint32_t>(value) + (1u << 11) - (96u << 23)) >> 12);
}

/// Numbers below 2^24 in three bytes each.
class Packed24 {
 public:
  static constexpr std::uint32_t kLimit = 1u << 24;

  Packed24() = default;
  /// @param bytes  [3 * size], little-endian, as stored() gives them
  explicit Packed24(std::string_view bytes) : bytes_(bytes) { bytes_ += '\0'; }

  std::size_t size() const { return bytes_.size() / 3; }
  std::uint32_t operator[](std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, bytes_.data() + 3 * i, sizeof value);
    return value & (kLimit - 1);
  }
  /// @param value  below kLimit
  void push_back(std::uint32_t value) {
    bytes_.insert(bytes_.size() - 1, reinterpret_cast<const char*>(&value), 3);
  }
  std::string_view stored() const { return std::string_view(bytes_).substr(0, 3 * size()); }

 private:
  std::string bytes_ =
      std::string(1, '\0');  ///< one byte more than is stored, so that four can be read at once
};

struct NgramArrays {
  std::int32_t vocab_size = 0;
  std::int32_t order = 0;
  std::int32_t max_successors = 0;  ///< of a law, and stored for every context but the empty one
  std::uint32_t num_unigrams = 0;   ///< successors of the empty context
  Packed24 context_tokens;          ///< [contexts], the oldest token of each; 0 for the empty one
  std::vector<std::uint16_t> back_off;  ///< [contexts], small floats of the weight / kBackOffScale
  std::vector<std::uint8_t>
      num_successors;         ///< [contexts]; 0 for the empty one, which has num_unigrams
  Packed24 first_child;       ///< [inner contexts + 1]: children of c are first_child[c] to
                              ///< first_child[c + 1]
  Packed24 successor_tokens;  ///< [n-grams], context by context, in falling order of probability,
                              ///< ties to the lower id
  std::vector<std::uint16_t> probabilities;  ///< [n-grams], small floats

  std::size_t num_contexts() const { return back_off.size(); }
  std::size_t num_inner() const { return first_child.size() - 1; }
  std::size_t num_ngrams() const { return probabilities.size(); }
};

/// Where n-grams were dropped the weight of what is shorter may exceed 1.
inline constexpr float kBackOffScale = 16.0f;

}  // namespace speclab::engines
