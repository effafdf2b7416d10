#pragma once
// Expected tokens and time of a round, for drafters that may propose fewer levels than asked for,
// or none.

#include <vector>

namespace speclab::sim {

/// One kind of round. Level i + 1 of a draft is there with chance reach[i] if level i is (reach[0]
/// is the hit rate of a drafter that looks up) and is accepted with chance
/// conditional_acceptance[i] if level i was.
struct RoundModel {
  std::vector<double> reach;                   ///< each in [0, 1]
  std::vector<double> conditional_acceptance;  ///< as long as reach, each in [0, 1]
  std::vector<double>
      cost_ns;  ///< [d]: a round whose draft has d levels; one longer than reach, > 0
};

/// Expected tokens and time of a round that may draft `length` levels.
struct RoundMeans {
  double tokens = 1.0;
  double ns = 0.0;
  double tokens_per_ns() const { return tokens / ns; }
};

/// @param length  0 to reach.size()
/// @throws ContractError if the lists do not fit together or `length` is out of range
RoundMeans round_means(const RoundModel& model, int length);
/// The same where the first level is there with chance `hit_rate`, whatever the model says: 1 of
/// the rounds that hit.
RoundMeans round_means(const RoundModel& model, int length, double hit_rate);

/// A length and what its rounds come to.
struct LengthMeans {
  int length = 0;
  RoundMeans means;
};

/// The smallest length that maximises tokens per time, over `shortest` to reach.size(); all are
/// tried, because with a measured verify cost the rate has more than one peak.
/// @throws ContractError as round_means
LengthMeans optimal_length_means(const RoundModel& model, int shortest = 0);
inline int optimal_speculation_length(const RoundModel& model, int shortest = 0) {
  return optimal_length_means(model, shortest).length;
}

}  // namespace speclab::sim
