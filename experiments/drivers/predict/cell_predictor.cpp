#include "experiments/drivers/predict/cell_predictor.h"

#include <algorithm>
#include <numeric>

#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/policy_registry.h"
#include "sim/statistics/jackknife.h"

namespace speclab::experiments {
namespace {

constexpr int kSimulatedGenerations =
    60;  ///< of a cell and category; the standard error is then well below that of the pilots

}  // namespace

void Totals::add(const Totals& other) {
  walltime_ns += other.walltime_ns, rounds += other.rounds, accepted += other.accepted,
      tested += other.tested;
  prompts += other.prompts;
}

CellPredictor::CellPredictor(const LoadedPlan& loaded, const RunLog& log, const Cell& cell,
                             const std::vector<CostEntry>& costs)
    : loaded_(loaded),
      plan_(loaded.plan),
      log_(log),
      cell_(cell),
      costs_(analysis::pair_costs(costs, cell.setting)) {
  for (std::size_t i = 0; i < plan_.prompts.size(); ++i)
    if (cell_.category == "all" || cell_.category == plan_.prompts[i].category)
      tokens_of_category_[plan_.prompts[i].category].push_back(
          static_cast<int>(loaded_.texts_of(cell_.setting.model).prompts[i].size()));
}

Totals CellPredictor::totals() const {
  Totals totals;
  for (const auto& [category, prompt_tokens] : tokens_of_category_)
    totals.add(of_category(category, prompt_tokens, {}));
  return totals;
}

std::optional<Spread> CellPredictor::spread() const {
  if (cell_.is_plain()) return std::nullopt;
  Spread spread;
  for (const auto& [category, prompt_tokens] : tokens_of_category_) {
    const auto pilots = static_cast<int>(num_pilots(plan_, pilot_key(plan_, cell_, category)));
    if (pilots < 2) return std::nullopt;
    const double measured_too =
        1.0 + static_cast<double>(pilots) / static_cast<double>(prompt_tokens.size());
    spread.variance += pilot_variance(category, prompt_tokens, pilots) * measured_too;
    spread.degrees += pilots - 1;
  }
  const double walltime_ns = totals().walltime_ns;
  spread.variance /= walltime_ns * walltime_ns;
  return spread;
}

/// Of the category's walltime, because of its pilots alone.
double CellPredictor::pilot_variance(const std::string& category,
                                     const std::vector<int>& prompt_tokens, int pilots) const {
  std::vector<double> walltimes;
  for (int left_out = 0; left_out < pilots; ++left_out)
    walltimes.push_back(
        of_category(category, prompt_tokens, static_cast<std::size_t>(left_out)).walltime_ns);
  return sim::jackknife_variance(walltimes);
}

Totals CellPredictor::of_category(const std::string& category,
                                  const std::vector<int>& prompt_tokens,
                                  std::optional<std::size_t> left_out) const {
  const auto count = static_cast<int>(prompt_tokens.size());
  const sim::GenerationPrediction decoding =
      decode(category, std::reduce(prompt_tokens.begin(), prompt_tokens.end()) / count, left_out);
  const double chance_of_draft = std::min(1.0, decoding.drafting_rounds);
  Totals totals{.rounds = count * decoding.rounds, .prompts = count};
  for (const int tokens : prompt_tokens)
    totals.walltime_ns += costs_.surface->prefill_ns(tokens) + decoding.decode_ns() +
                          chance_of_draft * costs_.drafter_prefill_ns(tokens);
  if (!cell_.is_plain()) add_acceptance(category, count, totals);
  return totals;
}

void CellPredictor::add_acceptance(const std::string& category, int count, Totals& totals) const {
  const auto rate = pilot_acceptance_rate(plan_, log_, pilot_key(plan_, cell_, category),
                                          longest().value_or(plan_.max_length()));
  if (!rate) return;
  totals.accepted += count * *rate;
  totals.tested += count;
}

sim::GenerationPlan CellPredictor::generation_plan(const std::string& category,
                                                   int prompt_tokens) const {
  return {.new_tokens = plan_.config.prompts.new_tokens,
          .prompt_tokens = prompt_tokens,
          .rows_of_depth = has_adaptive_tree(cell_.setting) || !cell_.setting.generation.empty()
                               ? pilot_rows_of_depth(plan_, log_, pilot_key(plan_, cell_, category))
                               : rows_of_depth(cell_.setting, plan_.max_length()),
          .end_rule = sim::EndRule::drafts_what_can_be_emitted};
}

/// What no draft of its policy is longer than: where the pilots had none of their own the length of
/// every draft.
std::optional<int> CellPredictor::longest() const {
  if (cell_.is_plain()) return 0;
  if (cell_.setting.policy == "auto") return std::nullopt;
  return make_policy(cell_.setting.policy)->longest();
}

sim::GenerationPrediction CellPredictor::decode(const std::string& category, int prompt_tokens,
                                                std::optional<std::size_t> left_out) const {
  const sim::GenerationPlan generation = generation_plan(category, prompt_tokens);
  if (cell_.is_plain())
    return sim::predict_generation({{.depth = 0, .accepted = 0, .probability = 1.0}}, generation,
                                   *costs_.surface);
  const std::vector<sim::RoundLaw> laws =
      pilot_laws(plan_, log_, pilot_key(plan_, cell_, category), left_out);
  sim::GenerationPrediction mean;
  for (const sim::RoundLaw& law : laws)
    mean.add(decode(category, law, generation, static_cast<int>(laws.size())),
             1.0 / static_cast<double>(laws.size()));
  return mean;
}

sim::GenerationPrediction CellPredictor::decode(const std::string& category,
                                                const sim::RoundLaw& law,
                                                const sim::GenerationPlan& generation,
                                                int num_laws) const {
  if (!pilot_setting(plan_, cell_).policy.empty())
    return sim::predict_generation(law, generation, *costs_.surface);
  if (const auto length = longest())
    return sim::predict_generation(sim::truncated(law, *length), generation, *costs_.surface);
  const auto policy = cell_policy(plan_, log_, cell_, category, generation.prompt_tokens);
  const sim::SimulationOptions options{.generations = std::max(1, kSimulatedGenerations / num_laws),
                                       .seed = plan_.config.seed};
  return sim::simulate_generation(*policy, law, generation, *costs_.surface, options).mean;
}

}  // namespace speclab::experiments
