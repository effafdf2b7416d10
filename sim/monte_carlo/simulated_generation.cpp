#include "sim/monte_carlo/simulated_generation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sim/analytic/round_costs.h"
#include "sim/core/errors.h"
#include "sim/monte_carlo/clairvoyant_policy.h"
#include "sim/monte_carlo/round_law_process.h"
#include "sim/monte_carlo/round_source.h"

namespace speclab::sim {
namespace {

constexpr std::size_t kPiece = 256;  ///< rounds handed over at once

std::int64_t rounded_ns(double ns) { return static_cast<std::int64_t>(ns + 0.5); }

class Simulator {
 public:
  Simulator(AcceptanceProcess& process, const GenerationPlan& plan, const CostSurface* costs, const SimulationOptions& options)
      : process_(process), plan_(plan), options_(options), source_(process, options.seed, options.tree) {
    SPECLAB_EXPECT(plan.new_tokens > 0 && plan.prompt_tokens >= 0, "new_tokens must be positive, prompt_tokens not negative");
    SPECLAB_EXPECT(!options.tree || plan.rows_of_depth.empty(), "a tree has its own rows_of_depth");
    if (costs != nullptr) costs_.emplace(*costs);
    piece_.reserve(kPiece);
  }

  /// Decodes a sequence, and adds its rounds to `totals`.
  GenerationPrediction generate(SpeculationLengthPolicy& policy, std::uint32_t sequence, RoundTotals& totals) {
    auto* const clairvoyant = dynamic_cast<ClairvoyantPolicy*>(&policy);
    GenerationPrediction total;
    source_.begin(sequence);
    const int tokens = std::min(plan_.new_tokens, process_.tokens());
    int left = tokens;
    for (std::uint32_t round = 0; left > 0; ++round) {
      source_.begin_round(round);
      if (clairvoyant != nullptr) clairvoyant->foresee(source_.draw(clairvoyant->max_length(), 0.0).accepted);
      int levels = policy.next_length();
      if (plan_.end_rule == EndRule::drafts_what_can_be_emitted) levels = std::min(levels, left - 1);
      RoundRecord record = record_of(source_.draw(levels, policy.stop_below()));
      record.round = static_cast<std::int32_t>(round);
      record.position = plan_.prompt_tokens + tokens - left;
      record.emitted = std::min(record.accepted + 1, left);
      add_times(record, total);
      policy.observe(record);
      process_.advance(record.emitted);
      totals.add(record);
      if (options_.on_rounds) keep(record, sequence);
      left -= record.emitted;
    }
    flush(sequence);
    return total;
  }

 private:
  RoundRecord record_of(const RoundDraw& draw) const {
    RoundRecord record;
    record.depth = draw.depth;
    record.rows = options_.tree ? draw.rows : plan_.rows(draw.depth);
    record.drafted = record.rows - 1;
    record.accepted = draw.accepted;
    record.tested = draw.tested;
    record.next_kind = draw.bonus ? NextKind::bonus : NextKind::recovered;
    return record;
  }

  void add_times(RoundRecord& record, GenerationPrediction& total) {
    GenerationPrediction round{.rounds = 1.0, .drafting_rounds = record.depth > 0 ? 1.0 : 0.0};
    if (costs_) {
      const RoundTimes times = costs_->at(record.depth, record.rows, record.position);
      round.target_ns = times.target_ns;
      round.draft_ns = times.draft_ns;
      round.overhead_ns = times.overhead_ns;
      record.target_ns = rounded_ns(times.target_ns);
      record.draft_ns = rounded_ns(times.draft_ns);
      record.other_ns = rounded_ns(times.overhead_ns);
    }
    total.add(round, 1.0);
  }

  void keep(const RoundRecord& record, std::uint32_t sequence) {
    piece_.push_back(record);
    if (piece_.size() == kPiece) flush(sequence);
  }

  void flush(std::uint32_t sequence) {
    if (!piece_.empty()) options_.on_rounds(sequence, piece_);
    piece_.clear();
  }

  AcceptanceProcess& process_;
  const GenerationPlan& plan_;
  const SimulationOptions& options_;
  RoundSource source_;
  std::optional<RoundCosts> costs_;
  std::vector<RoundRecord> piece_;
};

}  // namespace

void RoundTotals::add(const RoundRecord& round) {
  ++rounds;
  drafted += round.drafted;
  accepted += round.accepted;
  tested += round.tested;
  emitted += round.emitted;
  bonus += round.next_kind == NextKind::bonus ? 1 : 0;
}

SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, AcceptanceProcess& process, const GenerationPlan& plan,
                                        const CostSurface* costs, const SimulationOptions& options) {
  SPECLAB_EXPECT(options.generations >= 1, "generations = " + std::to_string(options.generations));
  Simulator simulator(process, plan, costs, options);
  SimulatedGeneration result;
  double square_sum = 0.0;
  for (int generation = 0; generation < options.generations; ++generation) {
    const auto own_policy = policy.fresh();
    const GenerationPrediction total = simulator.generate(*own_policy, static_cast<std::uint32_t>(generation), result.totals);
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

SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, const RoundLaw& law, const GenerationPlan& plan,
                                        const CostSurface& costs, const SimulationOptions& options) {
  RoundLawProcess process(law);
  return simulate_generation(policy, process, plan, &costs, options);
}

}  // namespace speclab::sim
