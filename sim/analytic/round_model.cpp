#include "sim/analytic/round_model.h"

#include <cmath>
#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {

namespace {

/// A round whose draft grows level by level.
struct GrowingRound {
  RoundMeans means;
  double drafted = 1.0;   ///< P(the draft has the last level)
  double survival = 1.0;  ///< P(it has it and all up to it are accepted)

  /// @param hit_rate  that of the level
  void add_level(const RoundModel& model, std::size_t level, double hit_rate) {
    drafted *= hit_rate;
    survival *= hit_rate * model.conditional_acceptance[level];
    means.tokens += survival;
    means.ns += drafted * (model.cost_ns[level + 1] - model.cost_ns[level]);
  }
};

/// a.tokens_per_ns() > b.tokens_per_ns(), mostly without their divisions, the slowest operations
/// there are.
bool is_faster(const RoundMeans& a, const RoundMeans& b) {
  constexpr double kProductRounding = 1e-14;  // more than that of two products or two quotients
  const double left = a.tokens * b.ns, right = b.tokens * a.ns;
  return std::abs(left - right) > kProductRounding * left ? left > right
                                                          : a.tokens_per_ns() > b.tokens_per_ns();
}

void expect_length(const RoundModel& model, int length) {
  SPECLAB_EXPECT(model.reach.size() == model.conditional_acceptance.size() &&
                     model.cost_ns.size() == model.reach.size() + 1,
                 "the lists of a round model must fit together");
  SPECLAB_EXPECT(length >= 0 && static_cast<std::size_t>(length) <= model.reach.size(),
                 "length = " + std::to_string(length));
}

}  // namespace

RoundMeans round_means(const RoundModel& model, int length) {
  return round_means(model, length, model.reach.empty() ? 1.0 : model.reach[0]);
}

RoundMeans round_means(const RoundModel& model, int length, double hit_rate) {
  expect_length(model, length);
  GrowingRound round{.means = {.tokens = 1.0, .ns = model.cost_ns[0]}};
  for (std::size_t level = 0; level < static_cast<std::size_t>(length); ++level)
    round.add_level(model, level, level == 0 ? hit_rate : model.reach[level]);
  return round.means;
}

LengthMeans optimal_length_means(const RoundModel& model, int shortest) {
  expect_length(model, shortest);
  GrowingRound round{.means = {.tokens = 1.0, .ns = model.cost_ns[0]}};
  LengthMeans best{.length = shortest, .means = round.means};
  for (std::size_t level = 0; level < model.reach.size(); ++level) {
    round.add_level(model, level, model.reach[level]);
    const int length = static_cast<int>(level) + 1;
    if (length == shortest || (length > shortest && is_faster(round.means, best.means)))
      best = {.length = length, .means = round.means};
  }
  return best;
}

}  // namespace speclab::sim
