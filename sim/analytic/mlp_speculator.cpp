#include "sim/analytic/mlp_speculator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

/// One stage: a parabola up to 1 at the end of the warm-up, or the cosine from 1 to 0.1, whichever
/// is lower.
double stage_multiplier(double step, double steps) {
  const double warm_up = std::min(2000.0, steps / 20.0);
  const double to_go = 1.0 - std::min(step, warm_up) / warm_up;
  return std::min(1.0 - to_go * to_go,
                  0.1 + 0.45 * (1.0 + std::cos(std::numbers::pi * step / steps)));
}

}  // namespace

void MlpSpeculatorShape::expect_valid() const {
  expect_at_least(1, base_hidden_size, "base_hidden_size");
  expect_at_least(1, vocab, "vocab");
  expect_at_least(1, heads, "heads");
  expect_at_least(1, inner_size, "inner_size");
}

long long mlp_parameters(const MlpSpeculatorShape& shape) {
  shape.expect_valid();
  const long long d = shape.inner_size;
  const long long stage = 2 * shape.vocab * d + 2 * d;  // embedding, head, scale and shift
  const long long later_stages = shape.heads - 1;
  const long long first_projection = shape.base_hidden_size * d;
  if (shape.tied) return stage + first_projection + std::min(later_stages, 1LL) * d * d;
  return shape.heads * stage + first_projection + later_stages * d * d;
}

double mlp_state_weight(int heads) {
  expect_at_least(1, heads, "heads");
  return std::pow(0.5, 0.5 / heads);
}

double mlp_embedding_weight(int heads, int inner_size) {
  expect_at_least(1, inner_size, "inner_size");
  const double state_weight = mlp_state_weight(heads);
  return std::sqrt((1.0 - state_weight * state_weight) * inner_size / 2.0);
}

double mlp_mix_ratio(int heads, int inner_size) {
  return mlp_embedding_weight(heads, inner_size) / mlp_state_weight(heads);
}

int candidate_suffixes(std::span<const int> top_k_per_head) {
  long long suffixes = 1;
  for (const int top_k : top_k_per_head) {
    expect_at_least(1, top_k, "top_k_per_head");
    suffixes *= top_k;
    SPECLAB_EXPECT(
        suffixes <= std::numeric_limits<int>::max(),
        "there are " + std::to_string(suffixes) + " suffixes or more; allowed: 2^31 - 1");
  }
  return static_cast<int>(suffixes);
}

double learning_rate_multiplier(int step, const TrainingStages& stages) {
  expect_at_least(1, stages.stage2_start, "stage2_start");
  expect_at_least(stages.stage2_start + 1LL, stages.total, "total");
  SPECLAB_EXPECT(
      step >= 0 && step <= stages.total,
      "step = " + std::to_string(step) + "; allowed: 0 to " + std::to_string(stages.total));
  if (step <= stages.stage2_start) return stage_multiplier(step, stages.stage2_start);
  return 0.1 * stage_multiplier(step - stages.stage2_start, stages.total - stages.stage2_start);
}

}  // namespace speclab::sim
