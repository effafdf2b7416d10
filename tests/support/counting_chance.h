#pragma once
#include <cstddef>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>

#include "sim/core/chance.h"

namespace speclab::testing {

/// Passes draws on, counts them, and throws when a key is used twice.
class CountingChance final : public Chance {
 public:
  explicit CountingChance(Chance& inner) : inner_(inner) {}

  bool bernoulli(const StreamKey& key, double probability) override {
    note(key);
    return inner_.bernoulli(key, probability);
  }
  std::size_t categorical(const StreamKey& key, const Weights<float>& weights) override {
    note(key);
    return inner_.categorical(key, weights);
  }
  std::size_t categorical(const StreamKey& key, const Weights<double>& weights) override {
    note(key);
    return inner_.categorical(key, weights);
  }
  std::size_t num_draws() const { return keys_.size(); }
  std::size_t num_draws(Purpose purpose) const {
    std::size_t count = 0;
    for (const auto& key : keys_) count += std::get<2>(key) == purpose ? 1 : 0;
    return count;
  }
  /// Forgets the keys, for another path through the same draws.
  void clear() { keys_.clear(); }

 private:
  void note(const StreamKey& key) {
    if (!keys_.emplace(key.sequence, key.position, key.purpose, key.draw).second)
      throw std::logic_error("a key was drawn twice");
  }

  Chance& inner_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Purpose, std::uint32_t>> keys_;
};

}  // namespace speclab::testing
