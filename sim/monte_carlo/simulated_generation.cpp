#include "sim/monte_carlo/simulated_generation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sim/core/chance.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

/// A round that drafts at most `levels` of what `outcome` would have drafted.
RoundRecord cut_round(const RoundOutcome& outcome, int levels, const GenerationPlan& plan) {
  RoundRecord record;
  record.depth = std::min(outcome.depth, levels);
  record.accepted = std::min(outcome.accepted, levels);
  record.rows = plan.rows(record.depth);
  record.drafted = record.rows - 1;
  record.tested = std::min(record.depth, record.accepted + 1);
  record.next_kind = record.accepted == record.depth ? NextKind::bonus : NextKind::recovered;
  return record;
}

/// Draws outcomes of rounds, one stream of keys a generation.
class RoundSource {
 public:
  RoundSource(const RoundLaw& law, std::uint64_t seed) : law_(law), chance_(seed) {
    for (const RoundOutcome& outcome : law) weights_.push_back(outcome.probability);
  }
  const RoundOutcome& draw(int generation, int round) {
    const StreamKey key{static_cast<std::uint32_t>(generation), static_cast<std::uint32_t>(round), Purpose::accept, 0};
    return law_[chance_.categorical(key, std::span<const double>(weights_))];
  }

 private:
  const RoundLaw& law_;
  std::vector<double> weights_;
  PhiloxChance chance_;
};

GenerationPrediction one_generation(SpeculationLengthPolicy& policy, RoundSource& source, int generation,
                                    const GenerationPlan& plan, const CostSurface& costs) {
  GenerationPrediction total;
  int left = plan.new_tokens;
  for (int round = 0; left > 0; ++round) {
    int levels = policy.next_length();
    if (plan.end_rule == EndRule::drafts_what_can_be_emitted) levels = std::min(levels, left - 1);
    const int context = plan.prompt_tokens + plan.new_tokens - left;
    RoundRecord record = cut_round(source.draw(generation, round), levels, plan);
    record.round = round;
    record.position = context;
    record.emitted = std::min(record.accepted + 1, left);
    total.add(round_prediction(record.depth, context, plan, costs), 1.0);
    policy.observe(record);
    left -= record.emitted;
  }
  return total;
}

}  // namespace

SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, const RoundLaw& law, const GenerationPlan& plan,
                                        const CostSurface& costs, const SimulationOptions& options) {
  SPECLAB_EXPECT(options.generations >= 1, "generations = " + std::to_string(options.generations));
  SPECLAB_EXPECT(plan.new_tokens > 0 && plan.prompt_tokens >= 0, "new_tokens must be positive, prompt_tokens not negative");
  RoundSource source(law, options.seed);
  SimulatedGeneration result;
  double square_sum = 0.0;
  for (int generation = 0; generation < options.generations; ++generation) {
    const auto own_policy = policy.fresh();
    const GenerationPrediction total = one_generation(*own_policy, source, generation, plan, costs);
    const double delta = total.decode_ns() - result.mean.decode_ns();
    GenerationPrediction difference = total;
    difference.add(result.mean, -1.0);
    result.mean.add(difference, 1.0 / (generation + 1));
    square_sum += delta * (total.decode_ns() - result.mean.decode_ns());
  }
  const double n = options.generations;
  result.decode_ns_standard_error = n > 1.0 ? std::sqrt(square_sum / (n - 1.0) / n) : 0.0;
  return result;
}

}  // namespace speclab::sim
