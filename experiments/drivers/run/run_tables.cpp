#include "experiments/drivers/run/run_tables.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/tables/atlas.h"
#include "experiments/drivers/measure/pace.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::CsvWriter;

constexpr std::array<std::string_view, 13> kCostColumns = {
    "model",   "drafter", "tree", "verifier", "regime",  "kind", "rows",
    "context", "batch",   "ns",   "ns_low",   "ns_high", "n"};
constexpr std::array<std::string_view, 8> kFailureColumns = {
    "row_id", "cell_id", "prompt_id", "repetition", "category", "status", "message", "attempts"};
constexpr std::array<std::string_view, 5> kPaceColumns = {"row_id", "model", "rows", "context",
                                                          "ns"};
constexpr std::array<std::string_view, 19> kPredictionColumns = {"cell_id",
                                                                 "category",
                                                                 "model",
                                                                 "drafter",
                                                                 "tree",
                                                                 "policy",
                                                                 "verifier",
                                                                 "temperature",
                                                                 "top_k",
                                                                 "top_p",
                                                                 "min_p",
                                                                 "repetition_penalty",
                                                                 "predicted_walltime_ns",
                                                                 "predicted_speedup",
                                                                 "predicted_tokens_per_round",
                                                                 "predicted_acceptance_rate",
                                                                 "paced_walltime_ns",
                                                                 "predicted_speedup_low",
                                                                 "predicted_speedup_high"};

/// Walltimes by cell, predicted from what forwards cost while generations were measured; none where
/// that is not known.
std::vector<std::optional<double>> paced_walltimes(const LoadedPlan& loaded, const RunLog& log) {
  std::vector<std::optional<double>> walltimes(loaded.plan.cells.size());
  const std::vector<CostEntry> costs = analysis::paced_costs(log.costs(), pace_rows(log));
  if (costs.empty()) return walltimes;
  std::ranges::copy(expected_walltimes(loaded, log, costs), walltimes.begin());
  return walltimes;
}

void add_mean(CsvWriter& csv, const std::optional<analysis::CountedMean>& mean) {
  if (!mean) {
    for (int i = 0; i < 5; ++i) csv.missing();
    return;
  }
  for (const double value :
       {mean->closed_form, mean->counted, mean->range.low, mean->range.high, mean->p})
    csv.field(value);
}

void add_sums(CsvWriter& csv, const analysis::DepthSums& sums) {
  csv.field(sums.drafts).field(sums.reached).field(sums.accepted);
  for (std::size_t rank = 0; rank < analysis::kRanks; ++rank)
    rank < sums.known_ranks ? csv.field(sums.in_top[rank]) : csv.missing();
}

}  // namespace

void add_text(CsvWriter& csv, const std::string& text) {
  if (text.empty())
    csv.missing();
  else
    csv.field(text);
}

void add_axes(CsvWriter& csv, const Cell& cell, const engines::SamplingOptions& sampling) {
  csv.field(cell.model).field(cell.drafting.drafter);
  for (const std::string& text : {cell.drafting.tree, cell.policy, cell.verifier})
    add_text(csv, text);
  csv.field(cell.temperature)
      .field(std::int64_t{sampling.top_k})
      .field(sampling.top_p)
      .field(sampling.min_p)
      .field(sampling.repetition_penalty);
}

std::string costs_csv(const RunLog& log) {
  CsvWriter csv(kCostColumns);
  for (const CostEntry& cost : log.costs()) {
    csv.field(cost.model);
    for (const std::string& text : {cost.drafter, cost.tree, cost.verifier, cost.regime_text()})
      add_text(csv, text);
    csv.field(to_string(cost.kind))
        .field(cost.rows)
        .field(cost.context)
        .field(cost.batch)
        .field(cost.ns.value);
    csv.field(cost.ns.interval ? std::optional(cost.ns.interval->low) : std::nullopt)
        .field(cost.ns.interval ? std::optional(cost.ns.interval->high) : std::nullopt);
    csv.field(static_cast<std::int64_t>(cost.ns.n)).end_row();
  }
  return csv.content();
}

std::string failures_csv(const Plan& plan, const RunLog& log) {
  constexpr std::size_t kLongestMessage = 500;
  CsvWriter csv(kFailureColumns);
  for (const auto& [id, failure] : log.failures()) {
    const PlannedGeneration& generation = plan.generations.at(static_cast<std::size_t>(id));
    const Prompt& prompt = plan.prompts[generation.prompt];
    csv.field(id)
        .field(plan.cells[generation.cell].id)
        .field(prompt.id)
        .field(std::int64_t{generation.repetition})
        .field(prompt.category);
    csv.field(to_string(failure.status))
        .field(escaped(failure.message, kLongestMessage))
        .field(std::int64_t{failure.attempts})
        .end_row();
  }
  return csv.content();
}

std::string predictions_csv(const LoadedPlan& loaded, const RunLog& log) {
  CsvWriter csv(kPredictionColumns);
  const std::vector<std::optional<double>> paced = paced_walltimes(loaded, log);
  for (const PredictionEntry& prediction : log.predictions()) {
    const Cell& cell = loaded.plan.cells.at(prediction.cell);
    csv.field(cell.id).field(cell.category);
    add_axes(csv, cell, loaded.plan.config.sampling);
    csv.field(prediction.walltime_ns)
        .field(prediction.speedup)
        .field(prediction.tokens_per_round)
        .field(prediction.acceptance_rate);
    csv.field(paced[prediction.cell]);
    const auto& interval = prediction.speedup_interval;
    interval ? csv.field(interval->low).field(interval->high) : csv.missing().missing();
    csv.end_row();
  }
  return csv.content();
}

std::string pace_csv(const RunLog& log) {
  CsvWriter csv(kPaceColumns);
  for (const analysis::PaceRow& pace : pace_rows(log))
    csv.field(pace.row_id)
        .field(pace.model)
        .field(pace.rows)
        .field(pace.context)
        .field(pace.ns)
        .end_row();
  return csv.content();
}

std::string atlas_csv(const LoadedPlan& loaded, const RunLog& log) {
  CsvWriter csv(analysis::kAtlasColumns);
  for (const auto& [index, entry] : log.atlas()) {
    const Cell& cell = loaded.plan.cells[index];
    for (const AtlasRuleEntry& r : entry.rules) {
      csv.field(cell.id).field(cell.category);
      add_axes(csv, cell, loaded.plan.config.sampling);
      csv.field(r.rule)
          .field(std::int64_t{r.drafts})
          .field(std::int64_t{r.lossless})
          .field(r.distance)
          .field(entry.rows)
          .field(r.trials);
      add_mean(csv, r.acceptance);
      add_mean(csv, r.tokens_per_round);
      csv.end_row();
    }
  }
  return csv.content();
}

std::string acceptance_csv(const Plan& plan, const RunLog& log) {
  CsvWriter csv(analysis::kAcceptanceColumns);
  for (const auto& [key, entry] : log.acceptances()) {
    const Cell& cell = plan.cells[entry.cell];
    const Prompt& prompt = plan.prompts[entry.prompt];
    for (std::size_t depth = 0; depth < std::max<std::size_t>(1, entry.depths.size()); ++depth) {
      csv.field(cell.id).field(prompt.category);
      add_axes(csv, cell, plan.config.sampling);
      csv.field(prompt.id).field(entry.positions).field(static_cast<std::int64_t>(depth + 1));
      add_sums(csv, depth < entry.depths.size() ? entry.depths[depth] : analysis::DepthSums{});
      csv.end_row();
    }
  }
  return csv.content();
}

std::string siblings_csv(const Plan& plan, const RunLog& log) {
  CsvWriter csv(analysis::kSiblingColumns);
  for (const auto& [key, entry] : log.acceptances()) {
    const Cell& cell = plan.cells[entry.cell];
    const Prompt& prompt = plan.prompts[entry.prompt];
    for (const auto& [place, sums] : entry.siblings) {
      csv.field(cell.id).field(prompt.category);
      add_axes(csv, cell, plan.config.sampling);
      csv.field(prompt.id);
      for (const int value : {place.depth, place.parent_rank, place.rank})
        csv.field(std::int64_t{value});
      csv.field(sums.drafts).field(sums.reached).field(sums.accepted);
      csv.end_row();
    }
  }
  return csv.content();
}

}  // namespace speclab::experiments
