// The schedule of Hugging Face's assisted generation (2023): +2 where all drafts matched, else -1,
// at least 1; its long run.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/heuristic_schedule.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kLongest = 256;

double ours_of(const analysis::Table& table, std::size_t row) {
  const double rate = table.number(row, "acceptance_rate");
  const std::string quantity = table.text(row, "quantity");
  if (quantity == "mean_speculation_length_tokens")
    return sim::heuristic_long_run(rate).mean_speculation_length;
  if (quantity == "tokens_per_round") return sim::heuristic_long_run(rate).tokens_per_round;
  if (quantity == "full_accept_probability")
    return sim::heuristic_long_run(rate).full_accept_probability;
  if (quantity == "tokens_per_round_without_floor") return sim::heuristic_tokens_per_round(rate);
  const double cost = table.number(row, "cost_ratio"),
               speedup = sim::heuristic_predicted_speedup(rate, cost);
  if (quantity == "speedup_heuristic_ratio") return speedup;
  if (quantity == "share_of_best_fixed_ratio")
    return speedup / sim::predicted_speedup(
                         rate, sim::optimal_speculation_length(rate, cost, kLongest), cost);
  table.fail(row, "quantity", "'" + escaped(quantity) + "' is none of the schedule's quantities");
}

std::string setting_of(const analysis::Table& table, std::size_t row) {
  const auto cost = table.optional_number(row, "cost_ratio");
  return fmt::format("acceptance_rate={}{}", table.number(row, "acceptance_rate"),
                     cost ? fmt::format(";cost_ratio={}", *cost) : "");
}

std::vector<analysis::Point> paper_points(const analysis::Table& table, const std::string& quantity,
                                          const std::string& cost) {
  std::vector<analysis::Point> points;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "quantity", quantity) && is(table, row, "cost_ratio", cost))
      points.push_back(
          paper_point(table.number(row, "acceptance_rate"), table.number(row, "value")));
  return points;
}

/// Share of the best fixed length's speed-up: the rule knows no cost.
analysis::Figure share_figure(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "hf_schedule_share",
      .title = "The +2/-1 schedule against the best fixed length",
      .caption =
          "Lines: stationary law of the chain; marks: reference values. The schedule looks at no "
          "cost, so that it "
          "is near the best length only where the cost happens to fit. Hugging Face 2023.",
      .x = axis("acceptance rate", 0.5, 0.95),
      .y = axis("speed-up / that of the best fixed length", 0.8, 1.0)};
  for (const char* cost : {"0.02", "0.1"}) {
    std::vector<analysis::Point> points = paper_points(table, "share_of_best_fixed_ratio", cost);
    const double c = std::stod(cost);
    for (const double rate : steps(0.5, 0.95, 180))
      points.push_back(vertex(
          rate,
          sim::heuristic_predicted_speedup(rate, c) /
              sim::predicted_speedup(rate, sim::optimal_speculation_length(rate, c, kLongest), c)));
    figure.series.push_back(curve(fmt::format("c = {}", cost), figure.series.size() + 1, points));
  }
  return figure;
}

analysis::Figure length_figure(const analysis::Table& table) {
  analysis::Figure figure{
      .id = "hf_schedule",
      .title = "The +2/-1 schedule in the long run",
      .caption = "Lines: stationary law of the chain; marks: reference values. Hugging Face 2023.",
      .x = axis("acceptance rate", 0.5, 0.95),
      .y = axis("tokens", 0, 25)};
  std::vector<analysis::Point> lengths = paper_points(table, "mean_speculation_length_tokens", ""),
                               tokens = paper_points(table, "tokens_per_round", "");
  for (const double rate : steps(0.5, 0.95, 180)) {
    const sim::HeuristicLongRun run = sim::heuristic_long_run(rate);
    lengths.push_back(vertex(rate, run.mean_speculation_length));
    tokens.push_back(vertex(rate, run.tokens_per_round));
  }
  figure.series = {curve("mean speculation length", 1, lengths),
                   curve("tokens a round", 2, tokens)};
  return figure;
}

/// A worked example of ours: matches 5, 7, 2, ... from length 5.
void add_listing(Reproduction& result) {
  constexpr int kMatches[] = {5, 7, 2, 3, 5, 0}, kLengths[] = {5, 7, 9, 8, 7, 6, 5};
  const std::vector<int> lengths = sim::heuristic_speculation_length(kMatches, 5);
  for (std::size_t i = 0; i < std::size(kLengths); ++i)
    result.rows.push_back({.setting = fmt::format("matches=5|7|2|3|5|0;round={}", i),
                           .quantity = "heuristic_speculation_length",
                           .ours = static_cast<double>(lengths.at(i)),
                           .reference = static_cast<double>(kLengths[i]),
                           .tolerance = 0,
                           .source = "hf_assisted2023",
                           .locator = "greedy loop; worked by hand"});
}

}  // namespace

Reproduction hf_schedule(const Papers& papers) {
  const analysis::Table table = papers.table("hf_heuristic_stationary.csv");
  Reproduction result;
  add_values(table, setting_of, ours_of, result);
  add_listing(result);
  result.figures = {length_figure(table), share_figure(table)};
  return result;
}

}  // namespace speclab::experiments
