// Sequoia (Chen et al. 2024): best trees by budget (Algorithms 1 and 4), trees of regular form
// (Section 3.1.2), choice of the size by cost (4.1).

#include <fmt/format.h>

#include <map>
#include <set>

#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/roofline.h"
#include "sim/analytic/static_tree.h"
#include "sim/analytic/tree_families.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The first ranks of Appendix E.
std::vector<double> appendix_ranks(const Papers& papers, std::size_t count) {
  const analysis::Table table = papers.table("sequoia_acceptance_vector.csv");
  if (table.size() < count)
    throw DataError(
        fmt::format("sequoia_acceptance_vector.csv: {} ranks, {} are needed; restore the file",
                    table.size(), count));
  std::vector<double> ranks;
  for (std::size_t row = 0; row < count; ++row)
    ranks.push_back(table.number(row, "rank_acceptance"));
  return ranks;
}

/// The vectors that sequoia_dp_values.csv names: differences of SpecInfer's Table 1 (CIP), and the
/// first eight of Appendix E.
std::map<std::string, std::vector<double>> rank_vectors(const Papers& papers) {
  return {{"specinfer_cip_greedy", specinfer_ranks(papers, "greedy", "cip")},
          {"specinfer_cip_stochastic", specinfer_ranks(papers, "stochastic", "cip")},
          {"sequoia_appendix_e_first_8", appendix_ranks(papers, 8)}};
}

void add_budgets(const Papers& papers, Reproduction& result) {
  const auto vectors = rank_vectors(papers);
  const analysis::Table table = papers.table("sequoia_dp_values.csv");
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string name = table.text(row, "acceptance_vector");
    if (!vectors.contains(name))
      table.fail(row, "acceptance_vector", "'" + escaped(name) + "' is not known");
    const sim::TreeBudget budget{small_count(table, row, "node_budget", 1),
                                 small_count(table, row, "max_levels", 1)};
    const std::string setting = fmt::format("acceptance_vector={};node_budget={};max_levels={}",
                                            name, budget.nodes, budget.levels);
    result.rows.push_back(
        compare(table, row, "tokens_per_round",
                {.setting = setting,
                 .quantity = "sequoia_optimal_tokens_per_round",
                 .ours = sim::sequoia_optimal_tree(vectors.at(name), budget).tokens_per_round}));
  }
}

std::vector<sim::VerifyCost> verify_costs(const analysis::Table& table, std::size_t row) {
  const std::vector<int> budgets = integer_list(table, row, "budgets");
  const std::vector<double> times = number_list(table, row, "verify_times");
  if (budgets.size() != times.size()) table.fail(row, "verify_times", "as many as budgets");
  std::vector<sim::VerifyCost> costs;
  for (std::size_t i = 0; i < budgets.size(); ++i)
    costs.push_back({budgets[i], times[i] / times[0]});
  return costs;
}

void add_sizes(const Papers& papers, Reproduction& result) {
  const analysis::Table table = papers.table("hardware_aware_examples.csv");
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::vector<double> times = number_list(table, row, "verify_times");
    const sim::HardwareAwareTree best = sim::hardware_aware_tree(
        number_list(table, row, "rank_acceptance"), verify_costs(table, row),
        table.number(row, "draft_time") / times[0], small_count(table, row, "max_levels", 1));
    const std::string quantity = table.text(row, "quantity");
    const double ours = quantity == "hardware_aware_nodes"    ? best.budget.nodes
                        : quantity == "hardware_aware_levels" ? best.budget.levels
                                                              : best.predicted_speedup;
    result.rows.push_back(
        compare(table, row, "value",
                {.setting = "rank_acceptance=" + table.text(row, "rank_acceptance"),
                 .quantity = quantity,
                 .ours = ours}));
  }
}

/// What verification of a tree cost there, from the printed tokens a round, speed-up and depth; and
/// the floor of off-loading.
void add_implied_costs(const Papers& papers, Reproduction& result) {
  const analysis::Table text = papers.table("tree_text_values.csv"),
                        rows = papers.table("sequoia_end_to_end.csv");
  const double cost_ratio = value_of(text, "quantity", "draft_token_time_ms") /
                            value_of(text, "quantity", "baseline_token_time_ms");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!is(rows, row, "method", "sequoia") || !is(rows, row, "target_model", "Llama2-7B") ||
        !is(rows, row, "dataset", "c4") || !is(rows, row, "tree_nodes", "128"))
      continue;
    const auto depth = static_cast<double>(rows.count(row, "tree_depth"));
    result.rows.push_back(compare(
        text,
        {.setting = fmt::format("Llama2-7B;c4;temperature={}", rows.number(row, "temperature")),
         .quantity = fmt::format("implied_verify_cost_ratio_128_nodes_depth_{}", depth),
         .ours = rows.number(row, "tokens_per_round") / rows.number(row, "speedup_ratio") -
                 depth * cost_ratio,
         .tolerance = 1e-12}));
  }
  result.rows.push_back(
      compare(text, {.setting = "weight_bytes=140e9;link_bytes_per_s=31.5e9",
                     .quantity = "offload_floor_llama2_70b_s",
                     .ours = sim::offload_token_time_s(
                         140e9, 1e9 * value_of(text, "quantity", "pcie4_bandwidth_gb_per_s")),
                     .tolerance = 1e-12}));
}

/// Tokens a round over the nodes of a tree, as the paper's Figure 1 has them: the best tree, 16
/// chains, one chain, binary trees.
analysis::Figure figure_of(const Papers& papers) {
  const std::vector<double> ranks =
      appendix_ranks(papers, 20);  // the rest, below 0.0008, rises and falls
  analysis::Figure figure{
      .id = "sequoia",
      .title = "Tokens a round by the size of the tree",
      .caption =
          "Closed forms with the first 20 ranks of Sequoia's Appendix E (Llama3-70B, Llama3-8B "
          "draft, CNN), no limit of depth. The best tree "
          "keeps growing where chains and trees of a fixed form stop. Sequoia 2024, Section 3.1.2 "
          "and Algorithm 1.",
      .x = {.label = "nodes, root included",
            .scale = analysis::Scale::logarithmic,
            .range = analysis::Interval{1, 600}},
      .y = axis("tokens a round", 0, 9)};
  std::vector<analysis::Point> best, binary, chains, chain;
  double total = 0;
  for (const double score : sim::best_first_scores(ranks, {.nodes = 512, .levels = 512}))
    best.push_back(vertex(static_cast<double>(best.size() + 1), total += score));
  for (int depth = 0; depth <= 8; ++depth)
    binary.push_back(
        paper_point(sim::k_ary_nodes(2, depth), sim::k_ary_tokens_per_round(ranks, 2, depth)));
  for (int depth = 1; depth <= 31; ++depth)
    chains.push_back(
        vertex(1 + 16 * depth, sim::independent_chains_tokens_per_round(ranks, 16, depth)));
  for (int depth = 0; depth <= 511; ++depth)
    chain.push_back(vertex(1 + depth, sim::independent_chains_tokens_per_round(ranks, 1, depth)));
  figure.series = {curve("best tree (Algorithm 1)", 1, best),
                   curve("16 chains side by side", 2, chains), curve("binary trees", 3, binary),
                   curve("one chain", 4, chain)};
  return figure;
}

}  // namespace

Reproduction sequoia(const Papers& papers) {
  Reproduction result;
  add_budgets(papers, result);
  add_tree_examples(papers, "sequoia2024", result);
  add_sizes(papers, result);
  add_implied_costs(papers, result);
  result.figures.push_back(figure_of(papers));
  return result;
}

}  // namespace speclab::experiments
