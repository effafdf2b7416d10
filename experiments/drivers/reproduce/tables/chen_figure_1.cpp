// Figure 1 of Chen et al. 2023, from the published costs (14.1 and 1.8 ms a token) and the
// acceptance that its Table 1 implies.

#include <fmt/format.h>

#include <utility>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/generation.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kTokens = 128;  ///< of an XSum answer
constexpr int kLongest = 7;   ///< the figure's axis
constexpr int kPaperLength = 4;
constexpr double kNsPerMs = 1e6;
constexpr double kRounding = 0.005 + 1e-12;  ///< speed-ups are printed to two decimals

sim::LoopTimes loop_times(const analysis::Table& setup) {
  return {.draft_ns = kNsPerMs * value_of(setup, "quantity", "draft_token_time_ms"),
          .target_ns = kNsPerMs * value_of(setup, "quantity", "target_token_time_ms")};
}

/// A pair of task and sampling, with the acceptance rate that its time a token implies.
struct Curve {
  std::string name;
  double acceptance_rate;
};

std::string setting_of(const analysis::Table& table, std::size_t row) {
  return fmt::format("task={};sampling={}", table.text(row, "task"), table.text(row, "sampling"));
}

bool is_speculative(const analysis::Table& table, std::size_t row, const std::string& quantity) {
  return is(table, row, "method", "speculative") && is(table, row, "quantity", quantity);
}

double mean_token_ms(const analysis::Table& table, const std::string& setting) {
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is_speculative(table, row, "mean_token_time_ms") && setting_of(table, row) == setting)
      return table.number(row, "value");
  throw DataError("chen_table1.csv: no mean_token_time_ms of " + setting + "; restore the file");
}

/// Everything that follows from one mean time of a token.
void add_row(const analysis::Table& table, std::size_t row, const sim::LoopTimes& times,
             Reproduction& result) {
  const std::string setting = setting_of(table, row), quantity = table.text(row, "quantity");
  const int length = small_count(table, row, "speculation_length", 1);
  const double token_ns = kNsPerMs * mean_token_ms(table, setting),
               tokens = times.loop_ns(length) / token_ns;
  Comparison ours{.setting = setting, .quantity = quantity, .tolerance = 1e-12};
  if (quantity == "speedup_ratio")
    ours = {.setting = setting,
            .quantity = "speedup",
            .ours = times.target_ns / token_ns,
            .tolerance = kRounding};
  else if (quantity == "speedup_from_times_ratio")
    ours.ours = times.target_ns / token_ns;
  else if (quantity == "implied_tokens_per_round")
    ours.ours = tokens;
  else if (quantity == "implied_committed_share")
    ours.ours = tokens / (length + 1);
  else if (quantity == "implied_acceptance_rate")
    ours.ours = sim::acceptance_rate_from_tokens_per_round(tokens, length);
  else
    return;  // scores of the answers, and the times themselves
  result.rows.push_back(compare(table, row, "value", ours));
}

std::vector<Curve> curves_of(const analysis::Table& table, const sim::LoopTimes& times) {
  std::vector<Curve> curves;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is_speculative(table, row, "mean_token_time_ms")) {
      const int length = small_count(table, row, "speculation_length", 1);
      const double tokens = times.loop_ns(length) / (kNsPerMs * table.number(row, "value"));
      curves.push_back({fmt::format("{}, {}", table.text(row, "task"), table.text(row, "sampling")),
                        sim::acceptance_rate_from_tokens_per_round(tokens, length)});
    }
  return curves;
}

/// Time of an answer, with a bar of one standard deviation between answers.
analysis::Point answer_point(double rate, int length, const sim::LoopTimes& times) {
  const sim::SequenceTime time = sim::sequence_time(rate, length, times, kTokens);
  const double mean_ms = time.mean_ns / kNsPerMs, deviation_ms = time.deviation_ns / kNsPerMs;
  return {.x = static_cast<double>(length),
          .y = mean_ms,
          .interval = analysis::Interval{mean_ms - deviation_ms, mean_ms + deviation_ms}};
}

/// What the reader of one answer sees at the paper's K, which it speaks of without numbers.
void add_speeds(const std::vector<Curve>& curves, const sim::LoopTimes& times,
                Reproduction& result) {
  for (const Curve& curve : curves) {
    const sim::SequenceSpeeds speeds =
        sim::sequence_speeds(curve.acceptance_rate, kPaperLength, times, kTokens);
    for (const auto& [quantity, ours] : {std::pair{"mean_tokens_per_s", speeds.mean_tokens_per_s},
                                         {"p50_tokens_per_s", speeds.p50_tokens_per_s},
                                         {"p90_tokens_per_s", speeds.p90_tokens_per_s},
                                         {"p99_tokens_per_s", speeds.p99_tokens_per_s}})
      result.rows.push_back({.setting = fmt::format("{};speculation_length={};tokens={}",
                                                    curve.name, kPaperLength, kTokens),
                             .quantity = quantity,
                             .ours = ours,
                             .source = "own",
                             .locator = "closed form"});
  }
}

analysis::Figure empty_figure(const char* id, const char* title, const char* caption,
                              analysis::Axis y) {
  return {.id = id,
          .title = title,
          .caption = std::string(caption) + " Chen et al. 2023, Figure 1.",
          .x = axis("K, tokens drafted a loop", -0.3, kLongest + 0.3),
          .y = std::move(y)};
}

std::vector<analysis::Figure> figures_of(const analysis::Table& table,
                                         const sim::LoopTimes& times) {
  analysis::Figure answer =
      empty_figure("chen_figure_1_left", "Time of 128 tokens over K",
                   "Closed form with the acceptance rates that Table 1 implies at K = 4; bars: one "
                   "standard deviation between answers.",
                   axis("time of 128 tokens, ms", 0, 2200));
  analysis::Figure share =
      empty_figure("chen_figure_1_middle", "Share of the tokens of a loop that are kept",
                   "Closed form, tokens a loop / (K + 1), with the acceptance rates that Table 1 "
                   "implies at K = 4; the paper "
                   "draws measurements, from 0.45 to 0.7 at K = 7.",
                   axis("tokens kept / (K + 1)", 0, 1.05));
  analysis::Figure loop = empty_figure(
      "chen_figure_1_right", "Time of a loop over K",
      "14.1 ms and 1.8 ms a drafted token; the paper measured a slightly steeper line.",
      axis("time of a loop, ms", 0, 30));
  for (const Curve& curve : curves_of(table, times)) {
    const std::size_t colour = answer.series.size() + 1;
    const std::string name = fmt::format("{} ({:.3f})", curve.name, curve.acceptance_rate);
    answer.series.push_back({.name = name, .colour = colour});
    share.series.push_back({.name = name, .colour = colour});
    for (int length = 0; length <= kLongest; ++length) {
      answer.series.back().points.push_back(answer_point(curve.acceptance_rate, length, times));
      share.series.back().points.push_back(
          {.x = static_cast<double>(length),
           .y = sim::tokens_per_round(curve.acceptance_rate, length) / (length + 1)});
    }
  }
  loop.series.push_back({.name = "loop", .colour = 1});
  for (int length = 0; length <= kLongest; ++length)
    loop.series[0].points.push_back(
        {.x = static_cast<double>(length), .y = times.loop_ns(length) / kNsPerMs});
  return {answer, share, loop};
}

/// Costs, the best length at α = 0.68, and what is read off the figure, which is context: it is
/// drawn from measurements.
void add_setup(const analysis::Table& setup, const std::vector<Curve>& curves,
               const sim::LoopTimes& times, Reproduction& result) {
  const double cost = times.draft_ns / times.target_ns;
  const int best = sim::optimal_speculation_length(0.68, cost, 64);
  const auto add = [&](const char* quantity, const std::string& setting, double ours,
                       std::optional<double> tolerance) {
    result.rows.push_back(compare(
        setup, {.setting = setting, .quantity = quantity, .ours = ours, .tolerance = tolerance}));
  };
  const auto share = [&](const Curve& curve) {
    return sim::tokens_per_round(curve.acceptance_rate, kLongest) / (kLongest + 1);
  };
  add("cost_ratio", "", cost, 1e-12);
  add("closed_form_optimal_speculation_length", "acceptance_rate=0.68", best, 0);
  add("closed_form_speedup_at_optimum_ratio", "acceptance_rate=0.68",
      sim::predicted_speedup(0.68, best, cost), 1e-12);
  add("fig1_committed_share_at_k0", "", sim::tokens_per_round(0.68, 0), 0);
  add("fig1_committed_share_at_k7_low", curves[0].name, share(curves[0]), {});
  add("fig1_committed_share_at_k7_high", curves[2].name, share(curves[2]), {});
  add("fig1_xsum_optimal_speculation_length", curves[0].name,
      sim::optimal_speculation_length(curves[0].acceptance_rate, cost, 64), {});
}

}  // namespace

Reproduction chen_figure_1(const Papers& papers) {
  const analysis::Table table = papers.table("chen_table1.csv"),
                        setup = papers.table("chen_setup_and_fig1.csv");
  const sim::LoopTimes times = loop_times(setup);
  const std::vector<Curve> curves = curves_of(table, times);
  if (curves.size() != 3)
    throw DataError(
        "chen_table1.csv: expected three pairs of task and sampling with mean_token_time_ms; "
        "restore the file");
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "method", "speculative")) add_row(table, row, times, result);
  add_setup(setup, curves, times, result);
  add_speeds(curves, times, result);
  result.remarks.push_back(
      "p50, p90 and p99 tokens per second: what half, nine in ten and 99 in 100 answers reach at "
      "least");
  result.figures = figures_of(table, times);
  return result;
}

}  // namespace speclab::experiments
