#include "sim/analytic/mlp_speculator.h"

#include <algorithm>

#include "sim/analytic/arguments.h"

namespace speclab::sim {

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

long long mlp_multiplications(const MlpSpeculatorShape& shape) {
  shape.expect_valid();
  const long long d = shape.inner_size;
  return shape.heads * (shape.vocab * d) + shape.base_hidden_size * d + (shape.heads - 1) * d * d;
}

}  // namespace speclab::sim
