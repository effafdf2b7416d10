#include "analysis/stats/process_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/monte_carlo/acceptance_counts.h"
#include "sim/monte_carlo/acceptance_estimates.h"
#include "sim/monte_carlo/process_fits.h"
#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using Log = std::vector<sim::LoggedGeneration>;

constexpr std::size_t kMostGroups = 8;

RoundRecord record_of(const Round& round, std::int32_t number) {
  RoundRecord record{.round = number};
  record.position = static_cast<std::int32_t>(round.position);
  record.drafted = static_cast<std::int32_t>(round.drafted);
  record.rows = static_cast<std::int32_t>(round.rows);
  record.depth = static_cast<std::int32_t>(round.depth);
  record.accepted = static_cast<std::int32_t>(round.accepted);
  record.tested = static_cast<std::int32_t>(round.tested);
  record.emitted = static_cast<std::int32_t>(round.emitted);
  record.next_kind = round.accepted == round.drafted ? NextKind::bonus : NextKind::recovered;
  return record;
}

Log log_of(const Generations& generations, const Run& run) {
  Log log;
  for (const Generation* g : generations) {
    log.push_back({.prompt = g->prompt_id, .rounds = {}});
    for (std::int64_t i = 0; i < g->rounds; ++i)
      log.back().rounds.push_back(record_of(
          run.rounds[g->first_round + static_cast<std::size_t>(i)], static_cast<std::int32_t>(i)));
  }
  return log;
}

/// Tokens per round and log-likelihood of acceptance by position.
sim::FittedProcess per_position(sim::ClusterCounts clusters, int length) {
  sim::AcceptanceCounts total;
  for (const sim::AcceptanceCounts& cluster : clusters) total.add(cluster);
  sim::FittedProcess fit{.process = "per_position", .parameters = ""};
  double survival = 1;
  for (std::size_t level = 0; level < total.levels(); ++level) {
    const double tested = total.tested_at(level), accepted = total.accepted_at(level),
                 rate = tested > 0 ? accepted / tested : 0;
    if (accepted > 0) fit.log_likelihood += accepted * std::log(rate);
    if (accepted < tested) fit.log_likelihood += (tested - accepted) * std::log1p(-rate);
    if (static_cast<int>(level) >= length) continue;
    fit.tokens_per_round += survival *= rate;
    fit.parameters += fmt::format("{}a{}={:.6g}", level == 0 ? "" : ";", level + 1, rate);
  }
  fit.akaike_criterion = 2.0 * static_cast<double>(total.levels()) - 2.0 * fit.log_likelihood;
  return fit;
}

/// All that can be fitted to a log; the fit of a log that differs a little may start at its two
/// states.
struct Fits {
  std::vector<sim::FittedProcess> rows;
  std::optional<sim::TwoStateFit> two_state;
};

/// @param near  fits of a log that differs a little; null to look everywhere
Fits all_fits(const Log& log, int length, const Fits* near) {
  constexpr double kLeastGain = 1e-4;  // of the log-likelihood; intervals need no more
  const auto clusters = sim::counts_by_prompt(log);
  const sim::IidFit iid = sim::fit_iid(clusters);
  Fits fits{.rows = {sim::described(iid, length), per_position(clusters, length)}, .two_state = {}};
  if (iid.acceptance_rate == 0 || iid.acceptance_rate == 1) return fits;
  if (clusters.size() >= 2) fits.rows.push_back(sim::described(sim::fit_beta(clusters), length));
  fits.two_state = near != nullptr && near->two_state
                       ? sim::fit_two_state_from(near->two_state->places, kLeastGain, log)
                       : sim::fit_two_state(log);
  fits.rows.push_back(sim::described(*fits.two_state, length));
  return fits;
}

/// The log without each of the groups into which its prompts fall in turn.
std::vector<Log> logs_without_a_group(const Log& log) {
  std::map<std::string, std::size_t> number;
  for (const sim::LoggedGeneration& generation : log)
    number.emplace(generation.prompt, number.size());
  std::vector<Log> logs(std::min(kMostGroups, number.size()));
  for (const sim::LoggedGeneration& generation : log)
    for (std::size_t group = 0; group < logs.size(); ++group)
      if (number[generation.prompt] % logs.size() != group) logs[group].push_back(generation);
  return logs;
}

bool is_of_chains(const Generations& generations) {
  return std::ranges::all_of(generations, [](const Generation* g) {
    return g->axes.tree == "chain" && !g->forced_acceptance;
  });
}

/// Fits and observed tokens of a log, of which some groups of prompts may be left out; nothing
/// where it no longer bears the length.
struct Replicate {
  std::vector<double> implied;
  double observed = 0;
};

std::optional<Replicate> replicate(const Log& log, int length, const Fits& whole) {
  const auto clusters = sim::counts_by_prompt(log);
  if (sim::longest_supported_length(clusters) < length) return std::nullopt;
  Replicate result{.implied = {}, .observed = per_position(clusters, length).tokens_per_round};
  for (const sim::FittedProcess& fit : all_fits(log, length, &whole).rows)
    result.implied.push_back(fit.tokens_per_round);
  if (result.implied.size() != whole.rows.size()) return std::nullopt;
  return result;
}

/// With intervals only where every replicate could be fitted.
FittedAcceptance with_intervals(const sim::FittedProcess& fit, std::size_t index,
                                const Estimate& observed,
                                const std::vector<Replicate>& replicates) {
  std::vector<double> implied, misfits;
  for (const Replicate& r : replicates) {
    implied.push_back(r.implied[index]);
    misfits.push_back(r.implied[index] - r.observed);
  }
  FittedAcceptance fitted{.process = fit.process,
                          .parameters = fit.parameters,
                          .akaike_criterion = fit.akaike_criterion,
                          .tokens_per_round = sim::jackknife_estimate(fit.tokens_per_round, implied,
                                                                      sim::Scale::identity),
                          .misfit = sim::jackknife_estimate(fit.tokens_per_round - observed.value,
                                                            misfits, sim::Scale::identity)};
  fitted.tokens_per_round.n = fitted.misfit.n = observed.n;
  return fitted;
}

std::optional<double> constancy(sim::ClusterCounts clusters) {
  try {
    return sim::test_constant_acceptance(clusters).p_value;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ProcessTable> process_table(const Generations& generations, const Run& run) {
  if (!is_of_chains(generations)) return std::nullopt;
  const Log log = log_of(generations, run);
  const auto clusters = sim::counts_by_prompt(log);
  if (std::ranges::none_of(clusters,
                           [](const sim::AcceptanceCounts& c) { return c.accepted() > 0; }))
    return std::nullopt;
  ProcessTable table{.speculation_length = sim::longest_supported_length(clusters),
                     .tokens_per_round = {},
                     .fits = {}};
  if (table.speculation_length == 0) return std::nullopt;
  table.tokens_per_round =
      sim::tokens_per_round_estimate(clusters, table.speculation_length).value();
  table.constant_acceptance_p = constancy(clusters);
  const Fits fits = all_fits(log, table.speculation_length, nullptr);
  std::vector<Replicate> replicates;
  const std::vector<Log> logs = logs_without_a_group(log);
  for (const Log& without : logs)
    if (auto one = replicate(without, table.speculation_length, fits))
      replicates.push_back(std::move(*one));
  if (replicates.size() != logs.size()) replicates.clear();
  for (std::size_t i = 0; i < fits.rows.size(); ++i)
    table.fits.push_back(with_intervals(fits.rows[i], i, table.tokens_per_round, replicates));
  return table;
}

}  // namespace speclab::analysis
