#include "sim/monte_carlo/simulated_generation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/analytic/cost_surface.h"
#include "sim/monte_carlo/round_source.h"
#include "sim/policies/clairvoyant_policy.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr std::size_t kPiece = 256;  ///< rounds handed over at once

std::int64_t rounded_ns(double ns) { return std::llround(ns); }

class Simulator {
 public:
  Simulator(AcceptanceProcess& process, const GenerationPlan& plan, const CostSurface* costs,
            const SimulationOptions& options)
      : process_(process),
        plan_(plan),
        options_(options),
        source_(process, options.seed, options.tree) {
    SPECLAB_EXPECT(plan.new_tokens > 0 && plan.prompt_tokens >= 0 &&
                       plan.prompt_tokens <= std::numeric_limits<int>::max() - plan.new_tokens,
                   "new_tokens must be positive, prompt_tokens not negative, their sum below 2^31");
    SPECLAB_EXPECT(!options.tree || plan.rows_of_depth.empty(), "a tree has its own rows_of_depth");
    if (costs != nullptr) costs_.emplace(*costs);
  }

  /// Decodes a sequence, and adds its rounds to `totals`.
  GenerationPrediction generate(SpeculationLengthPolicy& policy, std::uint32_t sequence,
                                RoundTotals& totals) {
    if (auto* const constant = dynamic_cast<ConstantPolicy*>(&policy))
      return decode(*constant, sequence, totals);
    if (auto* const clairvoyant = dynamic_cast<ClairvoyantPolicy*>(&policy))
      return decode(*clairvoyant, sequence, totals);
    return decode(policy, sequence, totals);
  }

 private:
  /// @tparam Policy  the policy's own class where calls shall be bound early, else the interface
  template <typename Policy>
  GenerationPrediction decode(Policy& policy, std::uint32_t sequence, RoundTotals& totals) {
    source_.begin(sequence);
    const int tokens = std::min(plan_.new_tokens, process_.tokens());
    RoundTotals own;
    RoundTimes times;
    int left = tokens;
    std::size_t kept = 0;
    std::int64_t drafting_rounds = 0;
    for (std::uint32_t round = 0; left > 0; ++round) {
      source_.begin_round(round);
      RoundRecord& record = piece_[kept];
      if constexpr (std::is_same_v<Policy, ClairvoyantPolicy>) {
        source_.draw(policy.max_length(), 0.0, record);
        policy.foresee(record.accepted);
      }
      int levels = policy.next_length();
      if (plan_.end_rule == EndRule::drafts_what_can_be_emitted)
        levels = std::min(levels, left - 1);
      const bool limited = source_.draw(levels, policy.stop_below(), record);
      if (!plan_.rows_of_depth.empty()) set_rows(record);
      record.round = static_cast<std::int32_t>(round);
      record.position = plan_.prompt_tokens + tokens - left;
      record.emitted = std::min(record.accepted + 1, left);
      if (costs_) add_times(record, times);
      policy.observe(record);
      source_.advance(record.emitted);
      own.add(record);
      own.limited += limited ? 1 : 0;
      drafting_rounds += record.depth > 0 ? 1 : 0;
      left -= record.emitted;
      if (++kept == kPiece) hand_over(sequence, kept);
    }
    hand_over(sequence, kept);
    totals.add(own);
    return {.rounds = static_cast<double>(own.rounds),
            .drafting_rounds = static_cast<double>(drafting_rounds),
            .target_ns = times.target_ns,
            .draft_ns = times.draft_ns,
            .overhead_ns = times.overhead_ns};
  }

  void set_rows(RoundRecord& record) const {
    record.rows = plan_.rows(record.depth);
    record.drafted = record.rows - 1;
  }

  void add_times(RoundRecord& record, RoundTimes& total) {
    const RoundTimes times = costs_->at(record.depth, record.rows, record.position);
    total.target_ns += times.target_ns;
    total.draft_ns += times.draft_ns;
    total.overhead_ns += times.overhead_ns;
    record.target_ns = rounded_ns(times.target_ns);
    record.draft_ns = rounded_ns(times.draft_ns);
    record.other_ns = rounded_ns(times.overhead_ns);
  }

  void hand_over(std::uint32_t sequence, std::size_t& kept) {
    if (kept > 0 && options_.on_rounds)
      options_.on_rounds(sequence, std::span<const RoundRecord>(piece_).first(kept));
    kept = 0;
  }

  AcceptanceProcess& process_;
  const GenerationPlan& plan_;
  const SimulationOptions& options_;
  RoundSource source_;
  std::optional<RoundCosts> costs_;
  std::vector<RoundRecord> piece_ =
      std::vector<RoundRecord>(kPiece);  ///< rounds on their way to the sink
};

}  // namespace

RoundLawProcess::RoundLawProcess(RoundLaw law) : law_(std::move(law)) {
  SPECLAB_EXPECT(!law_.empty(), "the law of a round is empty");
  for (const RoundOutcome& outcome : law_) {
    SPECLAB_EXPECT(outcome.accepted >= 0 && outcome.accepted <= outcome.depth &&
                       outcome.depth <= kMaxLevels && outcome.probability >= 0.0,
                   "a round accepts 0 to depth levels, at most 4095, with a probability >= 0");
    weights_.push_back(outcome.probability);
  }
}

void RoundLawProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  chance_ = PhiloxChance(stream.seed());
  sequence_ = sequence;
}

int RoundLawProcess::begin_round(std::uint32_t round) {
  const StreamKey key{sequence_, round, Purpose::accept, 0};
  const RoundOutcome& outcome = law_[chance_.categorical(key, std::span<const double>(weights_))];
  accepted_ = outcome.accepted;
  return outcome.depth;
}

DraftLevel RoundLawProcess::level(int index) {
  return {.acceptance = index < accepted_ ? 1.0 : 0.0,
          .confidence = std::numeric_limits<double>::quiet_NaN()};
}

void RoundTotals::add(const RoundTotals& other) {
  rounds += other.rounds;
  drafted += other.drafted;
  accepted += other.accepted;
  tested += other.tested;
  emitted += other.emitted;
  bonus += other.bonus;
  limited += other.limited;
}

SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy,
                                        AcceptanceProcess& process, const GenerationPlan& plan,
                                        const CostSurface* costs,
                                        const SimulationOptions& options) {
  SPECLAB_EXPECT(options.generations >= 1, "generations = " + std::to_string(options.generations));
  Simulator simulator(process, plan, costs, options);
  SimulatedGeneration result;
  double square_sum = 0.0;
  for (int generation = 0; generation < options.generations; ++generation) {
    const auto own_policy = policy.fresh();
    const GenerationPrediction total =
        simulator.generate(*own_policy, static_cast<std::uint32_t>(generation), result.totals);
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

SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, const RoundLaw& law,
                                        const GenerationPlan& plan, const CostSurface& costs,
                                        const SimulationOptions& options) {
  RoundLawProcess process(law);
  return simulate_generation(policy, process, plan, &costs, options);
}

}  // namespace speclab::sim
