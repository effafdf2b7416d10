#pragma once
// The two ways in which verification uses chance. The engines bind them to Philox; the tests'
// oracle follows every outcome.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/law.h"
#include "sim/core/rng_stream.h"
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

/// A source of decisions. Everything random in drafting and verifying goes through these two calls.
/// `bernoulli(key, probability)` is true with that probability: never at 0 or below, always at 1 or
/// above. `categorical(key, weights)` returns an index in proportion to its weight, never one of
/// weight 0; the weights need not sum to 1.
template <typename T>
concept ChanceSource =
    requires(T& chance, const StreamKey& key, const Weights<float>& f, const Weights<double>& d) {
      { chance.bernoulli(key, 0.5) } -> std::same_as<bool>;
      { chance.categorical(key, f) } -> std::same_as<std::size_t>;
      { chance.categorical(key, d) } -> std::same_as<std::size_t>;
    };

/// A source chosen at run time; drafters, verifiers and decoders receive one.
class Chance {
 public:
  virtual ~Chance() = default;
  virtual bool bernoulli(const StreamKey& key, double probability) = 0;
  /// @throws ContractError if no weight is positive or one is not finite
  virtual std::size_t categorical(const StreamKey& key, const Weights<float>& weights) = 0;
  virtual std::size_t categorical(const StreamKey& key, const Weights<double>& weights) = 0;
};

/// Draws one uniform number for each call. `bernoulli` compares strictly, so probability 0 never
/// succeeds. `categorical` inverts the cumulative sum in index order and never returns an index of
/// weight 0.
class InversionChance : public Chance {
 public:
  bool bernoulli(const StreamKey& key, double probability) final {
    return uniform(key) < probability;
  }
  std::size_t categorical(const StreamKey& key, const Weights<float>& weights) final;
  std::size_t categorical(const StreamKey& key, const Weights<double>& weights) final;

 private:
  virtual double uniform(const StreamKey& key) = 0;  ///< in [0, 1)
};

/// The shipping source: 53-bit uniforms of the counter-based generator.
class PhiloxChance final : public InversionChance {
 public:
  explicit PhiloxChance(std::uint64_t seed) : stream_(seed) {}

 private:
  double uniform(const StreamKey& key) override { return stream_.uniform(key); }
  RngStream stream_;
};

}  // namespace speclab
