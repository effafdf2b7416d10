#include "sim/monte_carlo/beta_process.h"

#include <cmath>
#include <numbers>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// Uniforms of one sequence, in (0, 1], each by a key of its own.
class SequenceUniforms {
 public:
  SequenceUniforms(const RngStream& stream, std::uint32_t sequence)
      : stream_(stream), sequence_(sequence) {}
  double next() { return 1.0 - stream_.uniform({sequence_, position_++, Purpose::accept, 0}); }

 private:
  const RngStream& stream_;
  std::uint32_t sequence_;
  std::uint32_t position_ = 0;
};

/// @source Box and Muller 1958
double normal(SequenceUniforms& uniforms) {
  const double radius = std::sqrt(-2.0 * std::log(uniforms.next()));
  return radius * std::cos(2.0 * std::numbers::pi * uniforms.next());
}

/// Logarithm of a gamma variate, which itself may be too small to be told from 0.
/// @source Marsaglia and Tsang 2000, "A simple method for generating gamma variables"; below 1 by
/// the power of a uniform
double log_gamma_variate(double shape, SequenceUniforms& uniforms) {
  if (shape < 1.0) {
    const double boost = std::log(uniforms.next()) / shape;
    return log_gamma_variate(shape + 1.0, uniforms) + boost;
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal(uniforms), root = 1.0 + c * x, v = root * root * root;
    const double u = uniforms.next();
    if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

}  // namespace

void BetaParameters::validate() const {
  SPECLAB_EXPECT(a > 0.0 && std::isfinite(a) && b > 0.0 && std::isfinite(b),
                 "beta law with a = " + std::to_string(a) + ", b = " + std::to_string(b) +
                     "; allowed: positive and finite");
}

BetaProcess::BetaProcess(const BetaParameters& parameters) : parameters_(parameters) {
  parameters_.validate();
}

void BetaProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  SequenceUniforms uniforms(stream, sequence);
  const double log_accepted = log_gamma_variate(parameters_.a, uniforms);
  acceptance_rate_ =
      1.0 / (1.0 + std::exp(log_gamma_variate(parameters_.b, uniforms) - log_accepted));
}

}  // namespace speclab::sim
