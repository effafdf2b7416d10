#pragma once
#include <cstdint>
#include <string_view>

namespace speclab {

/// The law after a rejection under lenience l; the paper leaves it open.
enum class LenientResidual : std::uint8_t {
  full,     ///< norm max(0, p - q)
  lenient,  ///< norm max(0, p - l q)
};

inline const char* to_string(LenientResidual form) {
  return form == LenientResidual::full ? "full" : "lenient";
}

/// Settings of the rules that change the output law.
struct LossyRuleOptions {
  double lenience = 0.8;  ///< verifier `lenient`: l, in (0, 1]
  LenientResidual lenient_residual = LenientResidual::full;
  double typical_epsilon = 0.09;  ///< verifier `typical`, as in Medusa's code: in [0, 1]
  double typical_delta = 0.3;
};

/// True if the rule of this name changes the output law of sampled text.
inline bool is_lossy_rule(std::string_view name) { return name == "lenient" || name == "typical"; }

}  // namespace speclab
