// Cross-tokenizer run of the NTT article (2023): its two printed fractions have the smallest common
// denominator of 67 rounds, from which the other numbers follow.

#include <algorithm>
#include <map>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/metrics.h"
#include "sim/analytic/tree_families.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kExact = 1e-12;  ///< quotients of integers, and of times printed to 16 digits

/// What the article says, by quantity.
class Article {
 public:
  explicit Article(const analysis::Table& table) : table_(table) {}

  double value(const std::string& quantity) const {
    return value_of(table_, "quantity", "cross_tokenizer_" + quantity);
  }
  long long count(const std::string& quantity) const {
    return static_cast<long long>(value(quantity));
  }

  sim::RunCounts counts() const {
    return {.generated_tokens = count("generated_tokens"),
            .rounds = count("rounds_count"),
            .accepted = count("accepted_tokens"),
            .hit_rounds = count("hit_rounds_count")};
  }
  sim::RunTotals plain() const { return {value("baseline_time_s"), value("generated_tokens")}; }
  sim::RunTotals assisted() const { return {value("assisted_time_s"), value("generated_tokens")}; }

 private:
  const analysis::Table& table_;
};

/// Ours, from the integer counts and the two times, by the article's quantity.
std::map<std::string, double> recomputed(const analysis::Table& table) {
  const Article article(table);
  const sim::RunCounts counts = article.counts();
  const double speedup = sim::speedup(article.plain(), article.assisted()),
               tokens = sim::tokens_per_round_measured(counts);
  const auto rounds = static_cast<double>(counts.rounds);
  return {{"cross_tokenizer_tokens_per_round", tokens},
          {"cross_tokenizer_round_hit_rate", sim::round_hit_rate(counts)},
          {"cross_tokenizer_accepted_tokens",
           static_cast<double>(counts.generated_tokens - counts.rounds)},
          {"cross_tokenizer_accepted_per_hit_round_tokens", sim::accepted_per_hit_round(counts)},
          {"cross_tokenizer_accepted_per_drafted_assistant_token_max",
           sim::accepted_fraction_from_tokens_per_round(
               tokens, static_cast<int>(article.count("speculation_length")))},
          {"cross_tokenizer_speedup_ratio", speedup},
          {"cross_tokenizer_baseline_token_time_ms",
           1e3 * article.value("baseline_time_s") / static_cast<double>(counts.generated_tokens)},
          {"cross_tokenizer_round_time_ms", 1e3 * article.value("assisted_time_s") / rounds},
          {"cross_tokenizer_round_cost_ratio", sim::round_cost_from_speedup(tokens, speedup)},
          {"tree_draft_passes_per_round_at_budget_5",
           static_cast<double>(sim::sequential_draft_forwards(5))}};
}

/// Mean rates of a round, as the article prints them and as others would call them.
analysis::Figure figure_of(const analysis::Table& table) {
  const auto ours = recomputed(table);
  analysis::Figure figure{.id = "ntt_metrics",
                          .title = "One run, counted in four ways",
                          .caption =
                              "Target llm-jp-13b, draft open-calm-small, 67 rounds of 5 drafted "
                              "assistant tokens. NTT 2023; its \"acceptance rate\" is the "
                              "share of rounds with a match.",
                          .kind = analysis::FigureKind::marks,
                          .x = {.label = "",
                                .names = {"tokens a round", "accepted a round",
                                          "rounds with a match", "accepted / drafted, at most"}},
                          .y = axis("value", 0, 2)};
  const double tokens = ours.at("cross_tokenizer_tokens_per_round");
  const double values[] = {tokens, tokens - 1.0, ours.at("cross_tokenizer_round_hit_rate"),
                           ours.at("cross_tokenizer_accepted_per_drafted_assistant_token_max")};
  analysis::Series series{.name = "ours", .colour = 1};
  for (const double value : values)
    series.points.push_back({.x = static_cast<double>(series.points.size()), .y = value});
  analysis::Series printed{.name = "printed", .colour = 2};
  const Article article(table);
  printed.points = {
      {.x = 0, .y = article.value("tokens_per_round"), .mark = analysis::Mark::hollow},
      {.x = 2, .y = article.value("round_hit_rate"), .mark = analysis::Mark::hollow}};
  figure.series = {series, printed};
  return figure;
}

}  // namespace

Reproduction ntt_metrics(const Papers& papers) {
  const analysis::Table table = papers.table("ntt_assisted_generation.csv");
  const auto ours = recomputed(table);
  Reproduction result;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto found = ours.find(table.text(row, "quantity"));
    if (found == ours.end()) continue;  // settings and counts that the others are made from
    result.rows.push_back(compare(table, row, "value",
                                  {.setting = "llm-jp-13b with open-calm-small",
                                   .quantity = found->first,
                                   .ours = found->second,
                                   .tolerance = kExact * std::max(1.0, found->second)}));
  }
  if (result.rows.size() != ours.size())
    throw DataError(
        "ntt_assisted_generation.csv lacks a quantity that follows from its counts; restore the "
        "file");
  result.figures.push_back(figure_of(table));
  return result;
}

}  // namespace speclab::experiments
