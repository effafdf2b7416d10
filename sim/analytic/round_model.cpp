#include "sim/analytic/round_model.h"

#include <string>

#include "sim/core/errors.h"

namespace speclab::sim {

RoundMeans round_means(const RoundModel& model, int length) {
  SPECLAB_EXPECT(model.reach.size() == model.conditional_acceptance.size() && model.cost_ns.size() == model.reach.size() + 1,
                 "the lists of a round model must fit together");
  SPECLAB_EXPECT(length >= 0 && static_cast<std::size_t>(length) <= model.reach.size(), "length = " + std::to_string(length));
  RoundMeans means{.tokens = 1.0, .ns = model.cost_ns[0]};
  double drafted = 1.0;   // P(the draft has this level)
  double survival = 1.0;  // P(it has it and all up to it are accepted)
  for (std::size_t level = 0; level < static_cast<std::size_t>(length); ++level) {
    drafted *= model.reach[level];
    survival *= model.reach[level] * model.conditional_acceptance[level];
    means.tokens += survival;
    means.ns += drafted * (model.cost_ns[level + 1] - model.cost_ns[level]);
  }
  return means;
}

int optimal_speculation_length(const RoundModel& model, int shortest) {
  int best = shortest;
  for (int length = shortest + 1; static_cast<std::size_t>(length) <= model.reach.size(); ++length)
    if (round_means(model, length).tokens_per_ns() > round_means(model, best).tokens_per_ns()) best = length;
  return best;
}

}  // namespace speclab::sim
