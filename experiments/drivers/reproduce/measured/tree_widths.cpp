// Tables 2 and 3 of SpecInfer 2024: trees that widen at the third level, and naive against
// multi-round sampling.
// Where the target's token stands in the drafter's ranking: Table 1 of SpecInfer 2024, and the
// histogram of NTT 2023.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr const char* kRankedDrafter = "small_transformer";

constexpr std::size_t kFewestRanks = 5;

/// @throws DataError if fewer ranks are known than the tables have
const std::vector<analysis::Estimate>& shares(const ObservedRun& run, double temperature) {
  const auto& known = drafter_where(run.pooled, kRankedDrafter, temperature).depths.front().in_top;
  if (known.size() < kFewestRanks)
    throw DataError(
        fmt::format("the sweep tells {} ranks of {} at temperature {}; allowed: at least {}; "
                    "measure it with the config in experiments/configs/papers",
                    known.size(), kRankedDrafter, temperature, kFewestRanks));
  return known;
}

/// What the second to fifth token add, of what the first leaves.
std::string gain_remark(const ObservedRun& run, double temperature) {
  const auto& share = shares(run, temperature);
  return fmt::format(
      "temperature {}: the tokens 2 to 5 of the ranking hold {:.0f} % of what the first misses",
      temperature,
      100.0 * (share[4].value - share[0].value) / std::max(1e-9, 1.0 - share[0].value));
}

constexpr int kWidest = 5;

std::string tree_of(int width) { return fmt::format("1x1x{}x1x1x1x1x1", width); }

const analysis::Estimate& tokens_per_round(const MeasuredRun& run, int width,
                                           const std::string& verifier, double temperature) {
  const auto test = [&](const analysis::Group& g) {
    return g.axes.tree == tree_of(width) && g.axes.verifier == verifier &&
           g.axes.temperature == temperature;
  };
  return needed(group_where(run.pooled(), test,
                            fmt::format("{} under {} at temperature {}", tree_of(width), verifier,
                                        temperature))
                    .summary.tokens_per_round,
                "rounds");
}

/// How much the widest tree keeps beyond the chain. @param rows  of one way of decoding, by width
std::string gain_text(std::span<const Comparison> rows, const std::string& decoding) {
  return fmt::format(
      "{}: width {} over width 1: ours {:.2f}, theirs {:.2f} in the mean of its data sets",
      decoding, rows.size(), rows.back().ours / rows.front().ours,
      *rows.back().reference / *rows.front().reference);
}

}  // namespace

Reproduction specinfer_table_1(const Papers& papers, const RunFolders& folders) {
  const ObservedRun run(folders.at("own_text"));
  const analysis::Table table = papers.table("specinfer_table1.csv");
  BesideFigure figure("specinfer_table_1",
                      "Is the target's token among the drafter's k most likely?", {.label = "k"},
                      "share",
                      "Filled: ours, " + run.description +
                          ", bars 95 % over prompts. Hollow: Table 1 of SpecInfer 2024, mean of "
                          "its five data sets.");
  Reproduction result;
  for (const auto& [decoding, temperature] : {std::pair{"greedy", 0.0}, {"stochastic", 1.0}})
    for (int k = 1; k <= 5; ++k) {
      const analysis::Estimate& ours = shares(run, temperature).at(static_cast<std::size_t>(k - 1));
      const auto test = [&](std::size_t row) {
        return is(table, row, "decoding", decoding) && table.count(row, "top_k") == k;
      };
      result.rows.push_back(beside_mean(
          table, "success_rate_percent", test,
          measured(fmt::format("decoding={};top_k={}", decoding, k), "success_rate", ours), 100.0));
      figure.add(fmt::format("small transformer, {}", decoding), k, ours);
      figure.add_theirs(fmt::format("LLaMA-68M for 7B, {} (theirs)", decoding), k,
                        *result.rows.back().reference);
    }
  figure.show_shares();
  result.figures.push_back(figure.figure());
  for (const double temperature : {0.0, 1.0})
    result.remarks.push_back(gain_remark(run, temperature));
  result.remarks.push_back(
      context_remark(run.description, "LLaMA-7B, drafts of LLaMA-68M, five data sets of prompts"));
  result.remarks.emplace_back(
      "stochastic: ours is the target's mass on the drafter's k most likely tokens, without a "
      "sample");
  return result;
}

Reproduction ntt_ranks(const Papers& papers, const RunFolders& folders) {
  const ObservedRun run(folders.at("own_text"));
  const analysis::Table table = papers.table("ntt_assisted_generation.csv");
  const auto& share = shares(run, 0.0);
  Reproduction result;
  BesideFigure figure("ntt_ranks", "Rank of the target's token in the drafter's law, greedy",
                      {.label = "rank"}, "share, cumulative",
                      "Filled: ours, " + run.description +
                          ", bars 95 % over prompts. Hollow: read off the histogram of NTT 2023.");
  for (std::size_t i = 0; i < share.size(); ++i) {
    Comparison ours = measured(fmt::format("rank={}", i + 1), "share_up_to_rank", share[i]);
    figure.add("small transformer", static_cast<double>(i + 1), share[i]);
    if (i < 2) {
      ours = compare(
          table, measured(ours.setting, fmt::format("rank_top{}_hit_percent", i + 1), share[i]));
      ours.quantity = "share_up_to_rank";
      ours.reference = *ours.reference / 100.0;
      figure.add_theirs("OPT-125M for OPT-6.7B and 13B (theirs)", static_cast<double>(i + 1),
                        *ours.reference);
    }
    result.rows.push_back(ours);
  }
  figure.show_shares();
  result.figures.push_back(figure.figure());
  result.remarks.push_back(gain_remark(run, 0.0));
  result.remarks.push_back(context_remark(
      run.description, "OPT-6.7B and 13B, drafts of OPT-125M, read off a histogram"));
  return result;
}

Reproduction specinfer_table_2(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("tree_widths"));
  const analysis::Table table = papers.table("specinfer_table2.csv");
  BesideFigure figure("specinfer_table_2", "Tokens a round by tree width",
                      {.label = "width at the third level"}, "tokens a round",
                      "Filled: ours, " + run.description() +
                          ", bars 95 % over prompts. Hollow: Table 2 of SpecInfer 2024, mean of "
                          "its five data sets.");
  Reproduction result;
  for (const auto& [decoding, temperature] : {std::pair{"greedy", 0.0}, {"stochastic", 1.0}}) {
    for (int width = 1; width <= kWidest; ++width) {
      const analysis::Estimate& ours =
          tokens_per_round(run, width, "tree_multi_round", temperature);
      const auto test = [&](std::size_t row) {
        return is(table, row, "decoding", decoding) && table.count(row, "tree_width") == width;
      };
      result.rows.push_back(
          beside_mean(table, "tokens_per_round", test,
                      measured(fmt::format("decoding={};tree_width={}", decoding, width),
                               "tokens_per_round", ours)));
      figure.add(fmt::format("small transformer, {}", decoding), width, ours);
      figure.add_theirs(fmt::format("LLaMA-68M for 7B, {} (theirs)", decoding), width,
                        *result.rows.back().reference);
    }
    result.remarks.push_back(gain_text(std::span(result.rows).last(kWidest), decoding));
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(run.description(), "LLaMA-7B, drafts of LLaMA-68M, eight levels"));
  return result;
}

Reproduction specinfer_table_3(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("tree_widths"));
  const analysis::Table table = papers.table("specinfer_table3.csv");
  BesideFigure figure("specinfer_table_3", "Naive and multi-round sampling of the same trees",
                      {.label = ""}, "tokens a round",
                      "Filled: ours, " + run.description() +
                          ", temperature 1, width 5, bars 95 % over prompts. Hollow: Table 3 of "
                          "SpecInfer 2024, mean of its five data sets.");
  Reproduction result;
  for (const auto& [theirs, ours] : {std::pair{"naive_sampling", "tree_naive"},
                                     {"multi_step_speculative_sampling", "tree_multi_round"}}) {
    const analysis::Estimate& tokens = tokens_per_round(run, kWidest, ours, 1.0);
    const auto test = [&](std::size_t row) {
      return is(table, row, "sampling", theirs) && is(table, row, "quantity", "tokens_per_round");
    };
    result.rows.push_back(beside_mean(
        table, "value", test, measured(fmt::format("rule={}", ours), "tokens_per_round", tokens)));
    const double x = figure.place(ours);
    figure.add("small transformer", x, tokens);
    figure.add_theirs("LLaMA-68M for 7B (theirs)", x, *result.rows.back().reference);
  }
  const double gain = result.rows[1].ours / result.rows[0].ours;
  const auto is_gain = [&](std::size_t row) {
    return is(table, row, "quantity", "gain_recomputed_ratio");
  };
  result.rows.push_back(
      beside_mean(table, "value", is_gain,
                  {.setting = "multi_round / naive", .quantity = "gain_ratio", .ours = gain}));
  result.figures.push_back(figure.figure());
  result.remarks.push_back(context_remark(
      run.description(),
      "LLaMA-7B, drafts of LLaMA-68M; the width of their trees is not stated, ours is 5"));
  return result;
}

}  // namespace speclab::experiments
