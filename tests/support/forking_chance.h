#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/rng_stream.h"

namespace speclab::testing {

/// The enumerating oracle: every decision with more than one possible outcome forks. Run the same code again and again,
/// once a path, until next_path() says that all are done; probability() is the exact weight of the path just run.
///
///   ForkingChance chance;
///   do { outcome = run(chance); law[outcome] += chance.probability(); } while (chance.next_path());
class ForkingChance {
 public:
  bool bernoulli(const StreamKey&, double probability) {
    if (probability <= 0.0) return false;
    if (probability >= 1.0) return true;
    return decide({1.0 - probability, probability}) == 1;
  }
  std::size_t categorical(const StreamKey&, std::span<const float> weights) { return decide(normalised(weights)); }
  std::size_t categorical(const StreamKey&, std::span<const double> weights) { return decide(normalised(weights)); }

  /// Weight of the path just run.
  double probability() const {
    double product = 1.0;
    for (const Fork& fork : path_) product *= fork.probabilities[fork.taken];
    return product;
  }

  /// Moves on to the next path. @return false when there is none
  bool next_path() {
    at_ = 0;
    while (!path_.empty() && !advance(path_.back())) path_.pop_back();
    return !path_.empty();
  }

 private:
  struct Fork {
    std::vector<double> probabilities;
    std::size_t taken = 0;
  };

  template <typename Scalar>
  static std::vector<double> normalised(std::span<const Scalar> weights) {
    std::vector<double> probabilities(weights.begin(), weights.end());
    double total = 0.0;
    for (const double weight : probabilities) total += weight;
    for (double& weight : probabilities) weight /= total;
    return probabilities;
  }

  /// Steps to the next possible outcome of this fork.
  static bool advance(Fork& fork) {
    do ++fork.taken;
    while (fork.taken < fork.probabilities.size() && !(fork.probabilities[fork.taken] > 0.0));
    return fork.taken < fork.probabilities.size();
  }

  std::size_t decide(std::vector<double> probabilities) {
    if (at_ == path_.size()) {
      path_.push_back({std::move(probabilities), 0});
      if (!(path_.back().probabilities[0] > 0.0)) advance(path_.back());
    }
    return path_[at_++].taken;
  }

  std::vector<Fork> path_;
  std::size_t at_ = 0;
};

}  // namespace speclab::testing
