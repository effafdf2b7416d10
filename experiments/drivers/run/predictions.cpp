#include "experiments/drivers/run/predictions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/run/pilots.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/analytic/auto_policy.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/policy_registry.h"
#include "sim/monte_carlo/distributions.h"
#include "sim/monte_carlo/simulated_generation.h"

namespace speclab::experiments {
namespace {

using analysis::PairCosts;

constexpr double kLargestReach = 3;        ///< of an interval, as a logarithm: a factor of 20
constexpr int kSimulatedGenerations = 60;  ///< of a cell and category; the standard error is then well below that of the pilots

/// Acceptance is a real model's, also for a shape model.
PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category) {
  return {is_shape_model(cell.model) ? plan.real_model() : cell.model, cell.drafting, cell.temperature, category, pilot_policy(cell)};
}

PairCosts costs_of(const std::vector<CostEntry>& costs, const Cell& cell) { return pair_costs(costs, pair_key(cell.model, cell.drafting, analysis::regime_of(cell.temperature))); }

/// Sums over prompts of a cell.
struct Totals {
  double walltime_ns = 0, rounds = 0, accepted = 0, tested = 0;
  int prompts = 0;

  void add(const Totals& other) {
    walltime_ns += other.walltime_ns, rounds += other.rounds, accepted += other.accepted, tested += other.tested;
    prompts += other.prompts;
  }
};

/// How far the walltime of measured prompts may be from the prediction, by the spread among pilots.
struct Spread {
  double variance = 0;  ///< of the sum over prompts, ns^2
  int degrees = 0;      ///< of freedom
};

/// Predicts one cell, category by category.
class CellPredictor {
 public:
  CellPredictor(const LoadedPlan& loaded, const RunLog& log, const Cell& cell, const std::vector<CostEntry>& costs)
      : loaded_(loaded), plan_(loaded.plan), log_(log), cell_(cell), costs_(costs_of(costs, cell)) {
    for (std::size_t i = 0; i < plan_.prompts.size(); ++i)
      if (cell_.category == "all" || cell_.category == plan_.prompts[i].category)
        tokens_of_category_[plan_.prompts[i].category].push_back(static_cast<int>(loaded_.prompt_ids[i].size()));
  }

  Totals totals() const {
    Totals totals;
    for (const auto& [category, prompt_tokens] : tokens_of_category_) totals.add(of_category(category, prompt_tokens, {}));
    return totals;
  }

  /// Nothing for plain decoding, and where a category has one pilot.
  std::optional<Spread> spread() const {
    if (cell_.is_plain()) return std::nullopt;
    Spread spread;
    for (const auto& [category, prompt_tokens] : tokens_of_category_) {
      const auto pilots = static_cast<int>(num_pilots(plan_, pilot_key(plan_, cell_, category)));
      if (pilots < 2) return std::nullopt;
      const double measured_too = 1.0 + static_cast<double>(pilots) / static_cast<double>(prompt_tokens.size());
      spread.variance += jackknife_variance(category, prompt_tokens, pilots) * measured_too;
      spread.degrees += pilots - 1;
    }
    return spread;
  }

 private:
  /// Of the category's walltime, because of its pilots alone.
  double jackknife_variance(const std::string& category, const std::vector<int>& prompt_tokens, int pilots) const {
    std::vector<double> walltimes;
    for (int left_out = 0; left_out < pilots; ++left_out) walltimes.push_back(of_category(category, prompt_tokens, static_cast<std::size_t>(left_out)).walltime_ns);
    const double mean = std::reduce(walltimes.begin(), walltimes.end()) / pilots;
    double squares = 0;
    for (const double walltime : walltimes) squares += (walltime - mean) * (walltime - mean);
    return squares * (pilots - 1) / pilots;
  }

  Totals of_category(const std::string& category, const std::vector<int>& prompt_tokens, std::optional<std::size_t> left_out) const {
    const auto count = static_cast<int>(prompt_tokens.size());
    const sim::GenerationPrediction decoding = decode(category, std::reduce(prompt_tokens.begin(), prompt_tokens.end()) / count, left_out);
    const double chance_of_draft = std::min(1.0, decoding.drafting_rounds);
    Totals totals{.rounds = count * decoding.rounds, .prompts = count};
    for (const int tokens : prompt_tokens)
      totals.walltime_ns += costs_.surface->prefill_ns(tokens) + decoding.decode_ns() + chance_of_draft * costs_.drafter_prefill_ns(tokens);
    if (!cell_.is_plain()) add_acceptance(category, count, totals);
    return totals;
  }

  void add_acceptance(const std::string& category, int count, Totals& totals) const {
    const auto rate = pilot_acceptance_rate(plan_, log_, pilot_key(plan_, cell_, category), constant_length().value_or(plan_.max_length()));
    if (!rate) return;
    totals.accepted += count * *rate;
    totals.tested += count;
  }

  sim::GenerationPlan generation_plan(int prompt_tokens) const {
    return {.new_tokens = plan_.config.prompts.new_tokens, .prompt_tokens = prompt_tokens, .rows_of_depth = cell_.drafting.rows_of_depth(plan_.max_length()),
            .end_rule = sim::EndRule::drafts_what_can_be_emitted};
  }

  /// The length of a policy that never changes it.
  std::optional<int> constant_length() const {
    if (cell_.is_plain()) return 0;
    if (cell_.policy == "auto" || cell_.policy == "heuristic") return std::nullopt;
    return make_policy(cell_.policy)->next_length();
  }

  sim::GenerationPrediction decode(const std::string& category, int prompt_tokens, std::optional<std::size_t> left_out) const {
    const sim::GenerationPlan generation = generation_plan(prompt_tokens);
    if (cell_.is_plain()) return sim::predict_generation({{.depth = 0, .accepted = 0, .probability = 1.0}}, generation, *costs_.surface);
    const std::vector<sim::RoundLaw> laws = pilot_laws(plan_, log_, pilot_key(plan_, cell_, category), left_out);
    sim::GenerationPrediction mean;
    for (const sim::RoundLaw& law : laws) mean.add(decode(category, law, generation, static_cast<int>(laws.size())), 1.0 / static_cast<double>(laws.size()));
    return mean;
  }

  sim::GenerationPrediction decode(const std::string& category, const sim::RoundLaw& law, const sim::GenerationPlan& generation, int num_laws) const {
    if (!pilot_policy(cell_).empty()) return sim::predict_generation(law, generation, *costs_.surface);
    if (const auto length = constant_length()) return sim::predict_generation(sim::truncated(law, *length), generation, *costs_.surface);
    const auto policy = cell_policy(plan_, log_, cell_, category, generation.prompt_tokens);
    const sim::SimulationOptions options{.generations = std::max(1, kSimulatedGenerations / num_laws), .seed = plan_.config.seed};
    return sim::simulate_generation(*policy, law, generation, *costs_.surface, options).mean;
  }

  const LoadedPlan& loaded_;
  const Plan& plan_;
  const RunLog& log_;
  const Cell& cell_;
  PairCosts costs_;
  std::map<std::string, std::vector<int>> tokens_of_category_;  ///< of the prompts
};

/// On the scale of logarithms, by Student's t. Nothing where the pilots differ so much that it would say nothing.
std::optional<analysis::Interval> speedup_interval(double speedup, double walltime_ns, const std::optional<Spread>& spread) {
  if (!spread) return std::nullopt;
  const double reach = sim::student_t_quantile(0.975, spread->degrees) * std::sqrt(spread->variance) / walltime_ns;
  if (reach > kLargestReach) return std::nullopt;
  return analysis::Interval{speedup * std::exp(-reach), speedup * std::exp(reach)};
}

}  // namespace

analysis::PairKey pair_key(const std::string& model, const Drafting& drafting, Regime regime) {
  return {.model = model, .drafter = drafting.is_plain() ? "" : drafting.drafter, .tree = drafting.tree, .verifier = drafting.verifier, .regime = regime};
}

std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log, const Cell& cell, const std::string& category, int prompt_tokens) {
  if (cell.is_plain()) return std::make_unique<ConstantPolicy>(0);
  if (cell.policy != "auto") return make_policy(cell.policy);
  const int length = pilot_length(plan, cell.drafting);
  sim::AutoPolicyOptions options{.costs = costs_of(log.costs(), cell).surface, .prior = pilot_prior(plan, log, pilot_key(plan, cell, category))};
  options.max_length = length;
  options.rows_of_depth = cell.drafting.rows_of_depth(plan.max_length());
  options.initial_context = prompt_tokens;
  return std::make_unique<sim::AutoPolicy>(std::move(options));
}

std::vector<PredictionEntry> predict_cells(const LoadedPlan& loaded, const RunLog& log, const std::vector<CostEntry>& costs) {
  std::vector<PredictionEntry> entries;
  std::map<std::tuple<std::string, double, std::string>, double> plain_ns;  // plain cells come before their rivals
  for (std::size_t i = 0; i < loaded.plan.cells.size(); ++i) {
    const Cell& cell = loaded.plan.cells[i];
    const CellPredictor predictor(loaded, log, cell, costs);
    const Totals totals = predictor.totals();
    PredictionEntry entry{.cell = i, .walltime_ns = totals.walltime_ns / totals.prompts};
    if (cell.is_plain()) plain_ns[{cell.model, cell.temperature, cell.category}] = entry.walltime_ns;
    entry.speedup = plain_ns.at({cell.model, cell.temperature, cell.category}) / entry.walltime_ns;
    entry.tokens_per_round = totals.prompts * loaded.plan.config.prompts.new_tokens / totals.rounds;
    entry.speedup_interval = speedup_interval(entry.speedup, totals.walltime_ns, predictor.spread());
    if (totals.tested > 0) entry.acceptance_rate = totals.accepted / totals.tested;
    entries.push_back(entry);
  }
  return entries;
}

bool is_prepared(const Plan& plan, const RunLog& log) { return log.pilots().size() == plan.pilots.size() && !log.costs().empty() && !log.predictions().empty(); }

void make_predictions(Workbench& bench) {
  if (!bench.log().predictions().empty()) return;
  bench.progress().begin_phase("predictions", 1);
  bench.log().add(predict_cells(bench.loaded(), bench.log(), bench.log().costs()));
  bench.progress().end_phase();
}

}  // namespace speclab::experiments
