#include "analysis/stats/sign_test.h"

#include <cmath>

#include "sim/core/errors.h"

namespace speclab::analysis {

double sign_test_p(int successes, int trials) {
  SPECLAB_EXPECT(trials >= 0 && trials <= 1000 && successes >= 0 && successes <= trials, "no such count of successes");
  double term = std::ldexp(1.0, -trials), tail = 0.0;  // of `trials` successes, then one fewer a step
  for (int k = trials; k >= successes; --k) {
    tail += term;
    term *= static_cast<double>(k) / (trials - k + 1);
  }
  return tail;
}

int significant_successes(int trials, double level) {
  int least = trials + 1;
  while (least > 0 && sign_test_p(least - 1, trials) <= level) --least;
  return least;
}

}  // namespace speclab::analysis
