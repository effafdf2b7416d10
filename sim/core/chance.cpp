#include "sim/core/chance.h"

#include <cmath>

namespace speclab {
namespace {

template <typename Scalar>
std::size_t last_positive(std::span<const Scalar> weights) {
  std::size_t index = weights.size();
  while (index > 0 && !(weights[index - 1] > Scalar(0))) --index;
  return index - 1;
}

/// The first index whose cumulative weight exceeds `threshold`, in [0, sum); the last positive one
/// if rounding hides it.
template <typename Scalar>
std::size_t invert_cumulative(const Weights<Scalar>& weights, double threshold) {
  double below = 0.0;
  for (std::size_t number = 0; number < weights.num_blocks(); ++number) {
    const double block_sum = weights.block_sum(number);
    if (below + block_sum > threshold) {
      const auto block = weights.block(number);
      double cumulative = below;
      for (std::size_t i = 0; i < block.size(); ++i) {
        cumulative += static_cast<double>(block[i]);
        if (cumulative > threshold) return number * kWeightBlock + i;
      }
      return number * kWeightBlock + last_positive(block);
    }
    below += block_sum;
  }
  return last_positive(weights.values);
}

template <typename Scalar>
std::size_t index_at(double uniform, const Weights<Scalar>& weights) {
  const double total = weights.total();
  SPECLAB_EXPECT(
      total > 0.0 && std::isfinite(total),
      "weights must be finite, one of them positive; their sum is " + std::to_string(total));
  return invert_cumulative(weights, uniform * total);
}

}  // namespace

std::size_t InversionChance::categorical(const StreamKey& key, const Weights<float>& weights) {
  return index_at(uniform(key), weights);
}
std::size_t InversionChance::categorical(const StreamKey& key, const Weights<double>& weights) {
  return index_at(uniform(key), weights);
}

}  // namespace speclab
