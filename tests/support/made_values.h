#pragma once
// Values of weights that are made from a counter, the same as in tests/golden/family_recipe.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::testing {

/// A tensor whose values are made: offset + scale * k / 128 with k in [-128, 127].
struct MadeTensor {
  std::string name;
  std::vector<std::int64_t> shape;  ///< row-major, outermost first
  float scale = 1.0f;               ///< a power of two
  float offset = 0.0f;

  std::int64_t num_elements() const;
};

/// Which of the two models of a fixture: the twin's k are moved by up to `noise` steps.
struct MadeModel {
  std::uint64_t seed = 0;
  int noise = 0;
};

/// @return num_elements values; each has at most eight significant bits, so it is exact in
///         float32, float16 and bfloat16
/// @source SplitMix64 (Steele, Lea & Flood 2014) of the 64-bit FNV-1a hash of the name
std::vector<float> made_values(const MadeTensor& tensor, const MadeModel& model);

}  // namespace speclab::testing
