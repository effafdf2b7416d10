#pragma once
// Unnormalised weights for drawing tokens.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab {

inline constexpr std::size_t kWeightBlock = 512;  ///< values that share a sum

/// Weights of a draw. If the sums of its blocks are known, a draw reads one block only, unless
/// rounding puts its uniform number behind all blocks.
template <typename Scalar>
struct Weights {
  Weights(std::span<const Scalar> all, std::span<const double> sums = {})
      : values(all), block_sums(sums) {
    SPECLAB_EXPECT(sums.empty() || sums.size() == num_blocks(), "a sum of every block");
  }

  std::size_t num_blocks() const { return (values.size() + kWeightBlock - 1) / kWeightBlock; }
  std::span<const Scalar> block(std::size_t number) const {
    const std::size_t begin = number * kWeightBlock;
    return values.subspan(begin, std::min(kWeightBlock, values.size() - begin));
  }
  double block_sum(std::size_t number) const {
    return block_sums.empty() ? sum(block(number)) : block_sums[number];
  }
  /// The sum of all values. From block sums it may differ in the last bit, and then so may a draw
  /// whose uniform number lies that near a boundary.
  double total() const { return block_sums.empty() ? sum(values) : sum(block_sums); }

  std::span<const Scalar> values;
  std::span<const double> block_sums;  ///< [num_blocks()], empty if not known
};

/// Weights that are taken out one after the other. Only the block of a removed weight is summed
/// again, so nothing cancels.
template <typename Scalar>
class ShrinkingWeights {
 public:
  /// @param values  outlives this object, which sets removed weights to 0
  explicit ShrinkingWeights(std::vector<Scalar>& values) : values_(values) {
    const Weights<Scalar> all(values_);
    block_sums_.reserve(all.num_blocks());
    for (std::size_t number = 0; number < all.num_blocks(); ++number)
      block_sums_.push_back(sum(all.block(number)));
  }

  Weights<Scalar> left() const { return {values_, block_sums_}; }
  void take_out(std::size_t index) {
    values_[index] = Scalar(0);
    const std::size_t number = index / kWeightBlock;
    block_sums_[number] = sum(left().block(number));
  }

 private:
  std::vector<Scalar>& values_;
  std::vector<double> block_sums_;
};

}  // namespace speclab
