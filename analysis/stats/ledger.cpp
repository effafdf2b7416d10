#include "analysis/stats/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/stats/intervals.h"
#include "analysis/stats/pair_costs.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kSmallestReason = 0.005;  ///< of the predicted walltime

struct Names {
  const char* column;
  const char* words;
};
/// By cause.
constexpr std::array<Names, kCauses.size()> kNames = {{{"pace", "pace of the machine"},
                                                       {"acceptance", "acceptance"},
                                                       {"ragged_end", "ragged end"},
                                                       {"prefill", "reading the prompt"},
                                                       {"drafting", "drafting"},
                                                       {"overhead", "rest of a round"},
                                                       {"not_explained", "not explained"}}};

}  // namespace

/// What one generation adds to every cause.
struct LedgerMaker::Account {
  double predicted_ns = 0;
  std::array<double, kCauses.size()> ns{};
};

/// Of the generations of a ledger.
struct LedgerMaker::Cell {
  PairCosts costs;
  const Prediction* prediction = nullptr;
  double plain_ns = 0;  ///< all of them, had they been decoded plainly
  double num_generations = 0;
};

const char* to_string(Cause cause) { return kNames[static_cast<std::size_t>(cause)].column; }
const char* words_of(Cause cause) { return kNames[static_cast<std::size_t>(cause)].words; }

LedgerMaker::LedgerMaker(const Run& run, std::vector<CostRow> costs,
                         const std::vector<PaceRow>& paces)
    : run_(run),
      costs_(paces.empty() ? std::move(costs) : paced_costs(std::move(costs), paces)),
      has_pace_(!paces.empty()) {}

double LedgerMaker::plain_ns(const Generation& g, const PairCosts& costs) const {
  Generation plain = g;
  plain.axes = g.axes.plain();
  plain.drafting_rounds = 0;
  return surface_times(run_, plain, costs).total_ns();
}

std::optional<std::map<std::string, LedgerMaker::Cell>> LedgerMaker::cells_of(
    const Generations& generations) const {
  std::map<std::string, Cell> cells;
  for (const Generation* g : generations) {
    const auto prediction = run_.predictions.find(g->cell_id);
    if (prediction == run_.predictions.end() || !prediction->second.walltime_ns)
      return std::nullopt;
    auto cell = cells.find(g->cell_id);
    if (cell == cells.end()) {
      const auto costs = costs_of_cell(costs_, g->axes);
      if (!costs) return std::nullopt;
      cell =
          cells.emplace(g->cell_id, Cell{.costs = *costs, .prediction = &prediction->second}).first;
    }
    cell->second.plain_ns += plain_ns(*g, cell->second.costs);
    cell->second.num_generations += 1;
  }
  return cells;
}

LedgerMaker::Account LedgerMaker::account(const Generation& g, const Cell& cell) const {
  const SurfaceTimes expected = surface_times(run_, g, cell.costs);
  const double predicted_ns = *cell.prediction->walltime_ns,
               paced_ns = has_pace_ ? cell.prediction->paced_walltime_ns.value_or(predicted_ns)
                                    : predicted_ns;
  const double share =
      plain_ns(g, cell.costs) / (cell.plain_ns / cell.num_generations);  // 1 in the mean
  return {
      .predicted_ns = predicted_ns,
      .ns = {paced_ns - predicted_ns, expected.total_ns() - expected.ragged_ns - share * paced_ns,
             expected.ragged_ns, static_cast<double>(g.prefill_ns) - expected.prefill_ns,
             static_cast<double>(g.draft_ns) - expected.draft_ns,
             static_cast<double>(g.verify_ns + g.other_ns) - expected.overhead_ns,
             static_cast<double>(g.decode_ns - g.draft_ns - g.verify_ns - g.other_ns) -
                 expected.target_ns}};
}

std::optional<Ledger> LedgerMaker::ledger(const Generations& generations) const {
  const auto cells = cells_of(generations);
  if (!cells) return std::nullopt;
  std::map<std::string, std::pair<std::array<double, kCauses.size()>, double>> by_prompt;
  Ledger ledger{.has_pace = has_pace_};
  for (const Generation* g : generations) {
    const Account own = account(*g, cells->at(g->cell_id));
    auto& [sums, count] = by_prompt[g->cluster()];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own.ns[i];
    count += 1;
    ledger.predicted_ns += own.predicted_ns / static_cast<double>(generations.size());
    ledger.measured_ns +=
        static_cast<double>(g->walltime_ns()) / static_cast<double>(generations.size());
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
  std::ranges::stable_sort(causes, std::ranges::greater{},
                           [&](Cause cause) { return std::abs(ledger.at(cause).value); });
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
  for (const Ledger& ledger : ledgers)
    shares.push_back(std::abs(ledger.at(Cause::not_explained).value) / ledger.measured_ns);
  if (shares.empty()) return std::nullopt;
  return median(std::move(shares));
}

}  // namespace speclab::analysis
