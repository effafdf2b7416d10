#pragma once
// The two ways in which verification uses chance. The engines bind them to Philox; the tests'
// oracle follows every outcome.

#include <concepts>
#include <cstddef>
#include <span>

#include "sim/core/law.h"
#include "sim/core/rng_stream.h"
#include "sim/core/weights.h"

namespace speclab {

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
