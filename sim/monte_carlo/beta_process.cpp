#include "sim/monte_carlo/beta_process.h"

#include <cmath>

#include "sim/core/errors.h"
#include "sim/monte_carlo/distributions.h"

namespace speclab::sim {

void BetaParameters::validate() const {
  SPECLAB_EXPECT(a > 0.0 && std::isfinite(a) && b > 0.0 && std::isfinite(b),
                 "beta law with a = " + std::to_string(a) + ", b = " + std::to_string(b) + "; allowed: positive and finite");
}

BetaProcess::BetaProcess(const BetaParameters& parameters) : parameters_(parameters) { parameters_.validate(); }

void BetaProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  const double uniform = stream.uniform({sequence, 0, Purpose::accept, 0});
  acceptance_rate_ = beta_quantile(uniform, parameters_.a, parameters_.b);
}

}  // namespace speclab::sim
