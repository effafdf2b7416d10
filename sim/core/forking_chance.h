#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/chance.h"
#include "sim/system/errors.h"

namespace speclab {

/// The enumerating oracle: every decision with more than one possible outcome forks. Run the same
/// code once for each path until next_path() returns false. probability() is the exact weight of
/// the path just run.
///
///   ForkingChance chance;
///   do {
///     outcome = run(chance);
///     law[outcome] += chance.probability();
///   } while (chance.next_path());
///
/// A key names one uniform number in [0, 1), like in the generator. Each outcome of a decision
/// stands for an interval: below the probability for bernoulli, a stretch of the cumulative sum for
/// categorical. A second decision with an equal key only has the outcomes that meet this interval.
/// The weights are therefore right even for code that uses a key twice.
class ForkingChance final : public Chance {
 public:
  bool bernoulli(const StreamKey& key, double probability) override {
    if (probability <= 0.0) return false;
    if (probability >= 1.0) return true;
    return decide(key, {{1.0 - probability, probability, 1.0}, {probability, 0.0, probability}}) ==
           1;
  }
  std::size_t categorical(const StreamKey& key, const Weights<float>& weights) override {
    return decide(key, stretches(weights.values));
  }
  std::size_t categorical(const StreamKey& key, const Weights<double>& weights) override {
    return decide(key, stretches(weights.values));
  }

  /// Weight of the path just run.
  double probability() const {
    double product = 1.0;
    for (const Fork& fork : path_) product *= fork.outcomes[fork.taken].probability;
    return product;
  }

  /// Moves on to the next path. @return false when there is none
  bool next_path() {
    at_ = 0;
    while (!path_.empty() && !advance(path_.back())) path_.pop_back();
    return !path_.empty();
  }

  /// Number of decisions, over all paths, whose key had decided before on its path.
  std::size_t num_repeated_keys() const { return num_repeated_keys_; }

 private:
  /// Its probability given the path before, and the interval that it leaves for the key's uniform
  /// number.
  struct Outcome {
    double probability, low, high;
  };
  struct Fork {
    StreamKey key;
    std::vector<Outcome> outcomes;
    std::size_t taken = 0;
  };

  template <typename Scalar>
  static std::vector<Outcome> stretches(std::span<const Scalar> weights) {
    double total = 0.0;
    for (const Scalar weight : weights) total += static_cast<double>(weight);
    SPECLAB_EXPECT(total > 0.0 && std::isfinite(total),
                   "weights must be finite, one of them positive");
    std::vector<Outcome> outcomes;
    double low = 0.0;
    for (const Scalar weight : weights) {
      const double probability = static_cast<double>(weight) / total;
      outcomes.push_back({probability, low, low + probability});
      low += probability;
    }
    return outcomes;
  }

  static bool same(const StreamKey& a, const StreamKey& b) {
    return a.sequence == b.sequence && a.position == b.position && a.purpose == b.purpose &&
           a.draw == b.draw;
  }

  /// Narrows `outcomes` to the interval that an earlier decision left for this key.
  void condition(const StreamKey& key, std::vector<Outcome>& outcomes) {
    const auto earlier = std::find_if(path_.rbegin(), path_.rend(),
                                      [&](const Fork& fork) { return same(fork.key, key); });
    if (earlier == path_.rend()) return;
    ++num_repeated_keys_;
    const Outcome held = earlier->outcomes[earlier->taken];
    for (Outcome& outcome : outcomes) {
      outcome.low = std::max(outcome.low, held.low);
      outcome.high = std::min(outcome.high, held.high);
      outcome.probability = std::max(0.0, outcome.high - outcome.low) / (held.high - held.low);
    }
  }

  /// Steps to the next possible outcome of this fork.
  static bool advance(Fork& fork) {
    do ++fork.taken;
    while (fork.taken < fork.outcomes.size() && !(fork.outcomes[fork.taken].probability > 0.0));
    return fork.taken < fork.outcomes.size();
  }

  std::size_t decide(const StreamKey& key, std::vector<Outcome> outcomes) {
    if (at_ == path_.size()) {
      condition(key, outcomes);
      path_.push_back({key, std::move(outcomes), 0});
      if (!(path_.back().outcomes[0].probability > 0.0))
        SPECLAB_EXPECT(advance(path_.back()), "no outcome is possible");
    }
    return path_[at_++].taken;
  }

  std::vector<Fork> path_;
  std::size_t at_ = 0;
  std::size_t num_repeated_keys_ = 0;
};

}  // namespace speclab
