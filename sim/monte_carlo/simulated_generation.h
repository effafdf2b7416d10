#pragma once
// Whole generations by simulation: the policy objects that the engines run, on rounds of an
// acceptance process.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/analytic/generation.h"
#include "sim/core/chance.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/round_source.h"

namespace speclab::sim {

/// Each round draws (depth, accepted) from a law of rounds, whatever dependence the two have there;
/// shorter drafts are cut from it.
class RoundLawProcess final : public AcceptanceProcess {
 public:
  /// @param law  of rounds at the greatest length. @throws ContractError if it is empty or an
  /// outcome is out of range
  explicit RoundLawProcess(RoundLaw law);

  std::string name() const override { return "round_law"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t round) override;
  DraftLevel level(int index) override;
  void advance(int) override {}
  bool is_logged() const override { return true; }

 private:
  RoundLaw law_;
  std::vector<double> weights_;
  PhiloxChance chance_{0};
  std::uint32_t sequence_ = 0;
  int accepted_ = 0;
};

/// Takes the rounds of one sequence, in order, in pieces; the records are gone when it returns.
using RoundSink = std::function<void(std::uint32_t sequence, std::span<const RoundRecord> rounds)>;

/// How much to simulate, and of what.
struct SimulationOptions {
  int generations = 200;  ///< >= 1; generation g is sequence g of the random streams
  std::uint64_t seed = 0;
  std::optional<DraftTree> tree{};  ///< none: chains. With a tree the plan has no rows_of_depth,
                                    ///< and its end rule cuts levels
  RoundSink on_rounds{};  ///< gets every round, with the engines' fields; times are those of the
                          ///< cost surface, rounded
};

/// What all rounds come to.
struct RoundTotals {
  std::int64_t rounds = 0;
  std::int64_t drafted = 0;  ///< nodes
  std::int64_t accepted = 0;
  std::int64_t tested = 0;
  std::int64_t emitted = 0;
  std::int64_t bonus = 0;    ///< rounds that ended with a bonus token
  std::int64_t limited = 0;  ///< rounds that accepted all that the process had to draft, where the
                             ///< policy asked for more

  void add(const RoundRecord& round) {
    ++rounds;
    drafted += round.drafted;
    accepted += round.accepted;
    tested += round.tested;
    emitted += round.emitted;
    bonus += round.next_kind == NextKind::bonus ? 1 : 0;
  }
  void add(const RoundTotals& other);
};

/// Mean of simulated generations, and the standard error of its decoding time.
struct SimulatedGeneration {
  GenerationPrediction mean;
  double decode_ns_standard_error = 0.0;
  RoundTotals totals{};
};

/// Decodes `options.generations` sequences, each with a fresh policy, round by round: the policy
/// says how many levels, the process how likely each is accepted. A sequence ends after
/// plan.new_tokens or where the process has no more.
///
/// @param costs  of rounds; null: no times
/// @throws ContractError if generations < 1, the plan is out of range, a policy or tree does not
/// fit the process (see RoundSource), or the cost surface lacks a kind
SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy,
                                        AcceptanceProcess& process, const GenerationPlan& plan,
                                        const CostSurface* costs, const SimulationOptions& options);

/// The same with rounds drawn from `law`, the law of rounds at the greatest length, cut to what the
/// policy asks for.
SimulatedGeneration simulate_generation(const SpeculationLengthPolicy& policy, const RoundLaw& law,
                                        const GenerationPlan& plan, const CostSurface& costs,
                                        const SimulationOptions& options);

}  // namespace speclab::sim
