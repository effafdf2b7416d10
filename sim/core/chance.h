#pragma once
// The two ways in which verification uses chance. Shipping code binds them to Philox; the tests' oracle forks on them.

#include <concepts>
#include <cstddef>
#include <span>

#include "sim/core/law.h"
#include "sim/core/rng_stream.h"

namespace speclab {

/// A source of decisions. Everything random in drafting and verifying goes through these two calls.
///   bernoulli(key, probability)   true with that probability; probability <= 0 is never, >= 1 always true
///   categorical(key, weights)     an index with weight > 0, in proportion to the (unnormalised) weights
template <typename T>
concept ChanceSource = requires(T chance, const StreamKey& key, std::span<const float> f, std::span<const double> d) {
  { chance.bernoulli(key, 0.5) } -> std::same_as<bool>;
  { chance.categorical(key, f) } -> std::same_as<std::size_t>;
  { chance.categorical(key, d) } -> std::same_as<std::size_t>;
};

/// The shipping source. `bernoulli` compares a 53-bit uniform, strictly, so probability 0 never succeeds;
/// `categorical` inverts the cumulative sum in index order and never returns an index of weight 0.
class PhiloxChance {
 public:
  explicit PhiloxChance(std::uint64_t seed) : stream_(seed) {}
  bool bernoulli(const StreamKey& key, double probability) { return stream_.uniform(key) < probability; }
  /// @throws ContractError if no weight is positive or one is not finite
  std::size_t categorical(const StreamKey& key, std::span<const float> weights);
  std::size_t categorical(const StreamKey& key, std::span<const double> weights);

 private:
  RngStream stream_;
};

}  // namespace speclab
