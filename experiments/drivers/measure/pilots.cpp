#include "experiments/drivers/measure/pilots.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

bool matches(const Plan& plan, const Pilot& pilot, const PilotKey& key) {
  return pilot.setting == key.setting && plan.pilot_prompts[pilot.prompt].category == key.category;
}

/// Without the rounds that had fewer tokens left than the length needs.
std::vector<RoundRecord> full_rounds(const std::vector<RoundRecord>& rounds, int new_tokens,
                                     int length) {
  const int end = rounds.front().position + new_tokens;
  std::vector<RoundRecord> full;
  for (const RoundRecord& round : rounds)
    if (end - round.position - 1 >= length) full.push_back(round);
  return full;
}

std::vector<RoundRecord> pooled(const std::vector<std::vector<RoundRecord>>& by_prompt) {
  std::vector<RoundRecord> all;
  for (const auto& rounds : by_prompt) all.insert(all.end(), rounds.begin(), rounds.end());
  return all;
}

/// Law whose levels are reached and accepted with the prior's chances.
sim::RoundLaw law_of(const sim::AcceptancePrior& prior) {
  std::vector<double> depth_probability{1.0};
  for (const double reach : prior.reach) {
    depth_probability.push_back(depth_probability.back() * reach);
    depth_probability[depth_probability.size() - 2] *= 1.0 - reach;
  }
  return sim::round_law(depth_probability, prior.conditional_acceptance);
}

}  // namespace

std::vector<std::size_t> missing_pilots(Workbench& bench) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < bench.plan().pilots.size(); ++i)
    if (!bench.log().pilots().contains(i)) missing.push_back(i);
  return missing;
}

void run_pilot(Workbench& bench, std::size_t which) {
  bench.check_interruption();
  const Plan& plan = bench.plan();
  const Pilot& pilot = plan.pilots[which];
  const DecoderSettings settings = bench.settings(pilot.setting, "");
  const engines::Request request{plan.pilot_sequence_id(pilot),
                                 bench.loaded().texts_of(pilot.setting.model).pilots[pilot.prompt]};
  const auto policy = pilot.setting.policy.empty() || pilot.setting.is_plain()
                          ? std::make_unique<ConstantPolicy>(pilot_length(plan, pilot.setting))
                          : make_policy(pilot.setting.policy);
  bench.log().add(PilotEntry{which, bench.generate(settings, {request}, *policy).front().rounds});
  bench.progress().advance(1);
}

void run_pilots(Workbench& bench) {
  const std::vector<std::size_t> missing = missing_pilots(bench);
  bench.progress().begin_phase("pilots", static_cast<double>(missing.size()));
  for (const std::size_t pilot : missing) run_pilot(bench, pilot);
  bench.progress().end_phase();
}

std::vector<std::vector<RoundRecord>> pilot_rounds(const Plan& plan, const RunLog& log,
                                                   const PilotKey& key) {
  std::vector<std::vector<RoundRecord>> rounds;
  for (std::size_t i = 0; i < plan.pilots.size(); ++i)
    if (matches(plan, plan.pilots[i], key))
      rounds.push_back(full_rounds(log.pilots().at(i).rounds, plan.config.prompts.new_tokens,
                                   pilot_length(plan, key.setting)));
  SPECLAB_EXPECT(!rounds.empty(), "no pilot for " + key.setting.drafter + " in " + key.category);
  return rounds;
}

std::size_t num_pilots(const Plan& plan, const PilotKey& key) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.pilots, [&](const Pilot& pilot) { return matches(plan, pilot, key); }));
}

sim::AcceptancePrior pilot_prior(const Plan& plan, const RunLog& log, const PilotKey& key) {
  return sim::acceptance_prior(pooled(pilot_rounds(plan, log, key)),
                               pilot_length(plan, key.setting));
}

std::vector<sim::RoundLaw> pilot_laws(const Plan& plan, const RunLog& log, const PilotKey& key,
                                      std::optional<std::size_t> left_out) {
  std::vector<std::vector<RoundRecord>> by_prompt = pilot_rounds(plan, log, key);
  SPECLAB_EXPECT(!left_out || (by_prompt.size() > 1 && *left_out < by_prompt.size()),
                 "no such pilot to leave out");
  if (left_out) by_prompt.erase(by_prompt.begin() + static_cast<std::ptrdiff_t>(*left_out));
  if (!plan.drafter_options(key.setting).looks_up()) {
    if (!key.setting.policy.empty()) return {sim::empirical_round_law(pooled(by_prompt))};
    return {law_of(sim::acceptance_prior(pooled(by_prompt), pilot_length(plan, key.setting)))};
  }
  std::vector<sim::RoundLaw> laws;
  for (const auto& rounds : by_prompt) laws.push_back(sim::empirical_round_law(rounds));
  return laws;
}

std::vector<int> pilot_rows_of_depth(const Plan& plan, const RunLog& log, const PilotKey& key) {
  std::vector<std::vector<int>> rows_of_depth(1);
  for (const RoundRecord& round : pooled(pilot_rounds(plan, log, key))) {
    rows_of_depth.resize(std::max(rows_of_depth.size(), static_cast<std::size_t>(round.depth) + 1));
    rows_of_depth[static_cast<std::size_t>(round.depth)].push_back(round.rows);
  }
  std::vector<int> means;
  for (const std::vector<int>& rows : rows_of_depth)
    means.push_back(
        rows.empty() ? (means.empty() ? 1 : means.back() + 1)
                     : static_cast<int>(std::lround(std::accumulate(rows.begin(), rows.end(), 0.0) /
                                                    static_cast<double>(rows.size()))));
  return means;
}

std::optional<double> pilot_acceptance_rate(const Plan& plan, const RunLog& log,
                                            const PilotKey& key, int length) {
  double accepted = 0, tested = 0;
  const bool chain = key.setting.tree == "chain";
  for (const RoundRecord& round : pooled(pilot_rounds(plan, log, key))) {
    accepted += chain ? std::min(round.accepted, length) : round.accepted;
    tested += chain ? std::min({round.depth, round.accepted + 1, length}) : round.tested;
  }
  if (tested == 0) return std::nullopt;
  return accepted / tested;
}

engines::ReplayTrace replay_trace(const Plan& plan, const RunLog& log, const PilotKey& key) {
  engines::ReplayTrace trace;
  for (const RoundRecord& round : pooled(pilot_rounds(plan, log, key)))
    trace.rounds.push_back({round.depth, round.accepted});
  return trace;
}

PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category) {
  return {pilot_setting(plan, cell), category};
}

std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log,
                                                     const Cell& cell, const std::string& category,
                                                     int prompt_tokens) {
  if (cell.is_plain()) return std::make_unique<ConstantPolicy>(0);
  if (cell.setting.policy != "auto") return make_policy(cell.setting.policy);
  const int length = pilot_length(plan, cell.setting);
  sim::AutoPolicyOptions options{.costs = analysis::pair_costs(log.costs(), cell.setting).surface,
                                 .prior = pilot_prior(plan, log, pilot_key(plan, cell, category))};
  options.max_length = length;
  options.rows_of_depth = rows_of_depth(cell.setting, plan.max_length());
  options.initial_context = prompt_tokens;
  return std::make_unique<sim::AutoPolicy>(std::move(options));
}

}  // namespace speclab::experiments
