#include "analysis/stats/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/stats/clustered_mean.h"
#include "analysis/stats/median.h"
#include "analysis/stats/surface_times.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kSmallestReason = 0.005;  ///< of the predicted walltime

struct Names {
  const char* column;
  const char* words;
};
/// By cause.
constexpr std::array<Names, kCauses.size()> kNames = {{{"pace", "pace of the machine"}, {"acceptance", "acceptance"}, {"ragged_end", "ragged end"}, {"prefill", "reading the prompt"},
                                                       {"drafting", "drafting"}, {"overhead", "rest of a round"}, {"not_explained", "not explained"}}};

}  // namespace

/// What one generation adds to every cause.
struct LedgerMaker::Account {
  double predicted_ns = 0;
  std::array<double, kCauses.size()> ns{};
};

const char* to_string(Cause cause) { return kNames[static_cast<std::size_t>(cause)].column; }
const char* words_of(Cause cause) { return kNames[static_cast<std::size_t>(cause)].words; }

LedgerMaker::LedgerMaker(const Run& run, std::vector<CostRow> costs, const std::vector<PaceRow>& paces)
    : run_(run), costs_(paces.empty() ? std::move(costs) : paced_costs(std::move(costs), paces)), has_pace_(!paces.empty()) {}

LedgerMaker::Account LedgerMaker::account(const Generation& g, const PairCosts& costs) const {
  const Prediction& prediction = run_.predictions.at(g.cell_id);
  const SurfaceTimes expected = surface_times(run_, g, costs);
  Account account{.predicted_ns = *prediction.walltime_ns};
  const double paced_ns = has_pace_ ? prediction.paced_walltime_ns.value_or(account.predicted_ns) : account.predicted_ns;
  account.ns = {paced_ns - account.predicted_ns,
                expected.total_ns() - expected.ragged_ns - paced_ns,
                expected.ragged_ns,
                static_cast<double>(g.prefill_ns) - expected.prefill_ns,
                static_cast<double>(g.draft_ns) - expected.draft_ns,
                static_cast<double>(g.verify_ns + g.other_ns) - expected.overhead_ns,
                static_cast<double>(g.decode_ns - g.draft_ns - g.verify_ns - g.other_ns) - expected.target_ns};
  return account;
}

std::optional<Ledger> LedgerMaker::ledger(const Generations& generations) const {
  std::map<std::string, PairCosts> costs;  // by cell
  std::map<std::string, std::pair<std::array<double, kCauses.size()>, double>> by_prompt;
  Ledger ledger{.has_pace = has_pace_};
  for (const Generation* g : generations) {
    const auto prediction = run_.predictions.find(g->cell_id);
    if (prediction == run_.predictions.end() || !prediction->second.walltime_ns) return std::nullopt;
    if (!costs.contains(g->cell_id)) {
      const auto found = costs_of_cell(costs_, g->axes);
      if (!found) return std::nullopt;
      costs.emplace(g->cell_id, *found);
    }
    const Account own = account(*g, costs.at(g->cell_id));
    auto& [sums, count] = by_prompt[g->prompt_id];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own.ns[i];
    count += 1;
    ledger.predicted_ns += own.predicted_ns / static_cast<double>(generations.size());
    ledger.measured_ns += static_cast<double>(g->walltime_ns()) / static_cast<double>(generations.size());
  }
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    ClusterTotals totals;
    for (const auto& [prompt, sum] : by_prompt) totals.add(sum.first[i], sum.second);
    ledger.ns[i] = clustered_mean(totals);
  }
  return ledger;
}

std::string reasons(const Ledger& ledger) {
  std::vector<Cause> causes(kCauses.begin(), kCauses.end());
  std::ranges::stable_sort(causes, std::ranges::greater{}, [&](Cause cause) { return std::abs(ledger.at(cause).value); });
  std::string text;
  for (const Cause cause : std::span(causes).first(3)) {
    const double share = ledger.at(cause).value / ledger.predicted_ns;
    if (std::abs(share) < kSmallestReason) break;
    text += fmt::format("{}{} ({:+.1f} %)", text.empty() ? "" : ", ", words_of(cause), 100 * share);
  }
  return text;
}

std::optional<Estimate> median_unexplained(const std::vector<Ledger>& ledgers) {
  std::vector<double> shares;
  for (const Ledger& ledger : ledgers) shares.push_back(std::abs(ledger.at(Cause::not_explained).value) / ledger.measured_ns);
  if (shares.empty()) return std::nullopt;
  return median(std::move(shares));
}

}  // namespace speclab::analysis
