// One round, as each paper and server counts it; and numbers that their threads print, recomputed
// from the counts beside them.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/crosswalk.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/metrics.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::experiments {
namespace {

constexpr double kRate = 0.8;
constexpr int kLength = 5;
constexpr double kTokensOfChain = 2.25;  ///< Qwen3-8B, chain of 3, as published

double ours_of(const analysis::Table& table, std::size_t row) {
  const sim::RoundQuantity quantity = metric_name(table.text(row, "quantity")).quantity;
  if (!table.optional_integer(row, "rounds"))
    return sim::convert_round_quantity(kTokensOfChain, sim::RoundQuantity::tokens_per_round,
                                       quantity, small_count(table, row, "speculation_length", 1));
  const auto rounds = table.count(row, "rounds", 1), accepted = table.count(row, "accepted");
  if (quantity == sim::RoundQuantity::accepted_fraction)
    return static_cast<double>(accepted) / static_cast<double>(table.count(row, "drafted", 1));
  const auto generated =
      table.optional_integer(row, "generated_tokens").value_or(accepted + rounds);
  return sim::tokens_per_round_measured({.generated_tokens = generated,
                                         .rounds = rounds,
                                         .accepted = accepted,
                                         .hit_rounds = std::min(rounds, accepted)});
}

/// The ways to count, over the length of the draft: lengths grow, accepted / drafted falls,
/// accepted / tested stays.
analysis::Figure figure_of() {
  analysis::Figure figure{.id = "metric_crosswalk",
                          .title = "One drafter, four numbers",
                          .caption =
                              "The same drafts (accepted with chance 0.8 each, independently) as "
                              "they are reported: lengths with and without the "
                              "bonus token, accepted / drafted, "
                              "accepted / tested. Rounds that accept a draft / rounds is 0.8 too.",
                          .x = axis("tokens drafted a round", 0.5, 12.5),
                          .y = axis("value", 0, 5)};
  for (const MetricName& name : metric_names()) {
    const bool is_ours = std::string_view(name.name).starts_with("speclab.");
    if (!is_ours || name.quantity == sim::RoundQuantity::round_hit_rate)
      continue;  // equals the acceptance rate here
    analysis::Series series{.name = std::string(name.name).substr(8),
                            .colour = figure.series.size() + 1};
    for (int length = 1; length <= 12; ++length)
      series.points.push_back(
          {.x = static_cast<double>(length),
           .y = sim::convert_round_quantity(kRate, sim::RoundQuantity::acceptance_rate,
                                            name.quantity, length)});
    figure.series.push_back(series);
  }
  return figure;
}

}  // namespace

Reproduction metric_crosswalk(const Papers& papers) {
  Reproduction result;
  const auto setting_of = [](const analysis::Table& table, std::size_t row) {
    return table.text(row, "setting");
  };
  add_values(papers.table("metric_examples.csv"), setting_of, ours_of, result);
  for (const MetricName& name : metric_names())
    result.rows.push_back(
        {.setting = fmt::format("acceptance_rate={};speculation_length={}", kRate, kLength),
         .quantity = name.name,
         .ours = sim::convert_round_quantity(kRate, sim::RoundQuantity::acceptance_rate,
                                             name.quantity, kLength),
         .source = name.source,
         .locator = name.definition});
  result.remarks.push_back(
      "convert one number: speclab reproduce metric_crosswalk --metric "
      "vllm.mean_acceptance_length=2.25 --metric speculation_length=3");
  result.figures.push_back(figure_of());
  return result;
}

}  // namespace speclab::experiments
