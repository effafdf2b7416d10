#include "analysis/stats/drafter_acceptance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/stats/intervals.h"
#include "sim/statistics/jackknife.h"

namespace speclab::analysis {
namespace {

using Rows = std::vector<const AcceptanceRow*>;

/// A share with its interval; 0 without one where the event never occurred.
Estimate share(const ClusterTotals& totals, Bootstrap& bootstrap) {
  const bool occurred = std::reduce(totals.numerator.begin(), totals.numerator.end()) > 0;
  return occurred ? within(bootstrap.ratio(totals), 0, 1)
                  : Estimate{.value = 0, .interval = {}, .n = totals.numerator.size()};
}

template <typename Numerator, typename Denominator>
ClusterTotals totals_of(const Rows& rows, Numerator numerator, Denominator denominator) {
  std::map<std::string, std::pair<double, double>> by_prompt;
  for (const AcceptanceRow* row : rows) {
    by_prompt[row->prompt_id].first += numerator(*row);
    by_prompt[row->prompt_id].second += denominator(*row);
  }
  ClusterTotals totals;
  for (const auto& [prompt, sums] : by_prompt) totals.add(sums.first, sums.second);
  return totals;
}

double reached(const AcceptanceRow& row) { return row.sums.reached; }
double accepted_of(const AcceptanceRow& row) { return row.sums.accepted; }

/// Ranks that every prompt of these rows tells.
std::size_t known_ranks(const Rows& rows) {
  std::size_t known = kRanks;
  for (const AcceptanceRow* row : rows)
    if (row->sums.reached > 0) known = std::min(known, row->sums.known_ranks);
  return known;
}

bool is_reached(const Rows& rows) {
  return std::ranges::any_of(rows, [](const AcceptanceRow* row) { return row->sums.reached > 0; });
}

/// All but the survival.
DepthAcceptance at_depth(int depth, const Rows& rows, Bootstrap& bootstrap) {
  DepthAcceptance result{.depth = depth,
                         .acceptance = share(totals_of(rows, accepted_of, reached), bootstrap),
                         .survival = {},
                         .in_top = {}};
  for (std::size_t rank = 0; rank < known_ranks(rows); ++rank)
    result.in_top.push_back(share(
        totals_of(
            rows, [rank](const AcceptanceRow& row) { return row.sums.in_top[rank]; }, reached),
        bootstrap));
  return result;
}

/// Fills in the survival: a product of conditional rates over the same prompts.
void add_survival(std::vector<DepthAcceptance>& depths, const std::vector<ClusterTotals>& factors,
                  Bootstrap& bootstrap) {
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const bool is_possible =
        depths[i].acceptance.value > 0 && (i == 0 || depths[i - 1].survival.value > 0);
    depths[i].survival =
        is_possible ? within(bootstrap.product_of_ratios(std::span(factors).first(i + 1)), 0, 1)
                    : Estimate{.value = 0, .interval = {}, .n = depths[i].acceptance.n};
  }
}

Rows of_depth(const Rows& rows, int depth) {
  Rows chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen),
                       [depth](const AcceptanceRow* row) { return row->depth == depth; });
  return chosen;
}

/// Totals of the same prompts at every depth, so that they can be multiplied.
ClusterTotals factor_of(const Rows& all, int depth) {
  return totals_of(
      all,
      [depth](const AcceptanceRow& row) { return row.depth == depth ? row.sums.accepted : 0.0; },
      [depth](const AcceptanceRow& row) { return row.depth == depth ? row.sums.reached : 0.0; });
}

double sum_without(const std::vector<double>& values, std::optional<std::size_t> left_out) {
  return std::reduce(values.begin(), values.end()) - (left_out ? values[*left_out] : 0.0);
}

double tokens_without(const std::vector<ClusterTotals>& factors,
                      std::optional<std::size_t> left_out) {
  double tokens = 1, survival = 1;
  for (const ClusterTotals& factor : factors) {
    const double tested = sum_without(factor.denominator, left_out);
    tokens += survival *= tested > 0 ? sum_without(factor.numerator, left_out) / tested : 0.0;
  }
  return tokens;
}

/// The interval by a jackknife over prompts, Student's t on the scale of logarithms.
Estimate tokens_of(const std::vector<ClusterTotals>& factors, std::size_t prompts) {
  Estimate tokens{.value = tokens_without(factors, {}), .interval = {}, .n = prompts};
  if (factors.empty() || factors.front().numerator.size() < 2) return tokens;
  std::vector<double> logarithms;
  for (std::size_t prompt = 0; prompt < factors.front().numerator.size(); ++prompt)
    logarithms.push_back(std::log(tokens_without(factors, prompt)));
  tokens.interval = log_interval(tokens.value, std::sqrt(sim::jackknife_variance(logarithms)),
                                 static_cast<double>(logarithms.size()) - 1);
  return within(tokens, 1, 1 + static_cast<double>(factors.size()));
}

DrafterAcceptance summarise(const Rows& rows, bool pooled, Bootstrap& bootstrap) {
  DrafterAcceptance result{.axes = rows.front()->axes,
                           .category = pooled ? "all" : rows.front()->category,
                           .coverage = {},
                           .depths = {},
                           .acceptance_rate = {},
                           .tokens_per_round = {}};
  const Rows first = of_depth(rows, 1);
  for (const AcceptanceRow* row : first) result.positions += row->positions;
  result.prompts = first.size();
  result.coverage = share(
      totals_of(
          first, [](const AcceptanceRow& row) { return static_cast<double>(row.sums.drafts); },
          [](const AcceptanceRow& row) { return static_cast<double>(row.positions); }),
      bootstrap);
  std::vector<ClusterTotals> factors;
  for (int depth = 1; is_reached(of_depth(rows, depth)); ++depth) {
    result.depths.push_back(at_depth(depth, of_depth(rows, depth), bootstrap));
    factors.push_back(factor_of(rows, depth));
  }
  add_survival(result.depths, factors, bootstrap);
  result.tokens_per_round = tokens_of(factors, result.prompts);
  if (!result.depths.empty())
    result.acceptance_rate = share(totals_of(rows, accepted_of, reached), bootstrap);
  return result;
}

}  // namespace

std::vector<DrafterAcceptance> drafter_acceptance(const std::vector<AcceptanceRow>& rows,
                                                  bool pooled, Bootstrap& bootstrap) {
  std::vector<std::pair<std::pair<Setting, std::string>, Rows>> groups;
  for (const AcceptanceRow& row : rows) {
    const std::pair key{row.axes, pooled ? std::string("all") : row.category};
    auto group = std::ranges::find(groups, key, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
    group->second.push_back(&row);
  }
  std::vector<DrafterAcceptance> result;
  for (const auto& [key, members] : groups) result.push_back(summarise(members, pooled, bootstrap));
  return result;
}

}  // namespace speclab::analysis
