// How many heads an MLP speculator should have: IBM 2024.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

constexpr std::array kHeads{3, 4, 6, 8};

/// A kind of text that speculators were first trained on, where they are looked at, and what IBM
/// recommends there.
struct Domain {
  const char* name;
  const char* category;
  const char* fewest;
  const char* most;
};

constexpr std::array kDomains{
    Domain{"prose", "chat", "heads_language_low_count", "heads_language_high_count"},
    Domain{"code", "code_editing", "heads_code_low_count", "heads_code_high_count"}};

const analysis::DrafterAcceptance& observed(const ObservedRun& run, const Domain& domain, int heads,
                                            double temperature) {
  return drafter_where(run.by_category, fmt::format("{}_{}", domain.name, heads), temperature,
                       domain.category);
}

/// Rows of every number of heads, the number with the most tokens a round beside IBM's.
void add_domain(const ObservedRun& run, const Domain& domain, double temperature,
                const analysis::Table& claims, BesideFigure& figure, Reproduction& result) {
  Comparison best{.setting = fmt::format("trained_on={};category={};temperature={}", domain.name,
                                         domain.category, temperature),
                  .quantity = "heads_with_most_tokens_per_round"};
  double most_tokens = 0;
  for (const int heads : kHeads) {
    const analysis::DrafterAcceptance& cell = observed(run, domain, heads, temperature);
    const std::string setting = fmt::format("heads={};{}", heads, best.setting);
    result.rows.push_back(measured(setting, "acceptance_rate", cell.depths.front().acceptance));
    result.rows.push_back(measured(setting, "tokens_per_round", cell.tokens_per_round));
    figure.add(fmt::format("{}, T = {}", domain.name, temperature), heads, cell.tokens_per_round);
    if (cell.tokens_per_round.value > most_tokens)
      most_tokens = cell.tokens_per_round.value, best.ours = heads;
  }
  const auto theirs = [&](const char* quantity) { return value_of(claims, "quantity", quantity); };
  result.rows.push_back(beside_claim(
      claims, best, domain.fewest,
      fmt::format("theirs: {:.0f} to {:.0f}", theirs(domain.fewest), theirs(domain.most))));
}

}  // namespace

Reproduction ibm_heads(const Papers& papers, const RunFolders& folders) {
  const ObservedRun run(folders.at("mlp_heads"));
  const analysis::Table claims = papers.table("ibm_mlp_speculator.csv");
  BesideFigure figure("ibm_heads", "Tokens a round over the heads of an MLP speculator",
                      {.label = "heads"}, "tokens a round, all heads drafting",
                      "Ours, " + run.description +
                          ". First trained on prose (prompts of chat) or on code (prompts that "
                          "edit code), then on the target's own text.");
  Reproduction result;
  for (const Domain& domain : kDomains)
    for (const double temperature : {0.0, 1.0})
      add_domain(run, domain, temperature, claims, figure, result);
  result.figures.push_back(figure.figure());
  result.remarks.push_back(context_remark(run.description,
                                          "speculators of models of 7 to 20 billion parameters; 3 "
                                          "to 4 heads for language, 6 to 8 for code"));
  return result;
}

}  // namespace speclab::experiments
