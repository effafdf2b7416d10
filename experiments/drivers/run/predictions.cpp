#include "experiments/drivers/run/predictions.h"

#include <algorithm>
#include <map>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/run/pilots.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/analytic/auto_policy.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/policy_registry.h"
#include "sim/monte_carlo/simulated_generation.h"

namespace speclab::experiments {
namespace {

using analysis::PairCosts;

constexpr int kSimulatedGenerations = 60;  ///< of a cell and category; the standard error is then well below that of the pilots

/// Acceptance is a real model's, also for a shape model.
PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category) {
  return {is_shape_model(cell.model) ? plan.real_model() : cell.model, cell.drafting, cell.temperature, category};
}

PairCosts costs_of(const std::vector<CostEntry>& costs, const Cell& cell) { return pair_costs(costs, pair_key(cell.model, cell.drafting, analysis::regime_of(cell.temperature))); }

/// Sums over the prompts of a cell.
struct Totals {
  double walltime_ns = 0, rounds = 0, accepted = 0, tested = 0;
  int prompts = 0;
};

/// Predicts one cell, category by category.
class CellPredictor {
 public:
  CellPredictor(const LoadedPlan& loaded, const RunLog& log, const Cell& cell, const std::vector<CostEntry>& costs)
      : loaded_(loaded), plan_(loaded.plan), log_(log), cell_(cell), costs_(costs_of(costs, cell)) {}

  Totals totals() const {
    std::map<std::string, std::vector<int>> tokens_of_category;
    for (std::size_t i = 0; i < plan_.prompts.size(); ++i)
      if (cell_.category == "all" || cell_.category == plan_.prompts[i].category)
        tokens_of_category[plan_.prompts[i].category].push_back(static_cast<int>(loaded_.prompt_ids[i].size()));
    Totals totals;
    for (const auto& [category, prompt_tokens] : tokens_of_category) add_category(category, prompt_tokens, totals);
    return totals;
  }

 private:
  void add_category(const std::string& category, const std::vector<int>& prompt_tokens, Totals& totals) const {
    int sum = 0;
    for (const int tokens : prompt_tokens) sum += tokens;
    const auto count = static_cast<int>(prompt_tokens.size());
    const sim::GenerationPrediction decoding = decode(category, sum / count);
    const double chance_of_draft = std::min(1.0, decoding.drafting_rounds);
    for (const int tokens : prompt_tokens)
      totals.walltime_ns += costs_.surface->prefill_ns(tokens) + decoding.decode_ns() + chance_of_draft * costs_.drafter_prefill_ns(tokens);
    totals.rounds += count * decoding.rounds;
    totals.prompts += count;
    if (!cell_.is_plain()) add_acceptance(category, count, totals);
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

  sim::GenerationPrediction decode(const std::string& category, int prompt_tokens) const {
    const sim::GenerationPlan generation = generation_plan(prompt_tokens);
    if (cell_.is_plain()) return sim::predict_generation({{.depth = 0, .accepted = 0, .probability = 1.0}}, generation, *costs_.surface);
    const std::vector<sim::RoundLaw> laws = pilot_laws(plan_, log_, pilot_key(plan_, cell_, category));
    sim::GenerationPrediction mean;
    for (const sim::RoundLaw& law : laws) mean.add(decode(category, law, generation, static_cast<int>(laws.size())), 1.0 / static_cast<double>(laws.size()));
    return mean;
  }

  sim::GenerationPrediction decode(const std::string& category, const sim::RoundLaw& law, const sim::GenerationPlan& generation, int num_laws) const {
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
};

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
    const Totals totals = CellPredictor(loaded, log, cell, costs).totals();
    PredictionEntry entry{.cell = i, .walltime_ns = totals.walltime_ns / totals.prompts};
    if (cell.is_plain()) plain_ns[{cell.model, cell.temperature, cell.category}] = entry.walltime_ns;
    entry.speedup = plain_ns.at({cell.model, cell.temperature, cell.category}) / entry.walltime_ns;
    entry.tokens_per_round = totals.prompts * loaded.plan.config.prompts.new_tokens / totals.rounds;
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
