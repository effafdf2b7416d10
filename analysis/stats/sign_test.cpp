#include "analysis/stats/sign_test.h"

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::analysis {

double sign_test_p(int successes, int trials) {
  SPECLAB_EXPECT(trials >= 0 && trials <= 10'000 && successes >= 0 && successes <= trials,
                 "no such count of successes");
  long double term = std::ldexp(1.0L, -trials),
              tail =
                  0.0L;  // in whose range 2^-10000 is; of `trials` successes, then one fewer a step
  for (int k = trials; k >= successes; --k) {
    tail += term;
    term *= static_cast<long double>(k) / (trials - k + 1);
  }
  return static_cast<double>(tail);
}

int significant_successes(int trials, double level) {
  int least = trials + 1;
  while (least > 0 && sign_test_p(least - 1, trials) <= level) --least;
  return least;
}

}  // namespace speclab::analysis
