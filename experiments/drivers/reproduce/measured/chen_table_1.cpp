// Table 1 of Chen et al. 2023: summaries and code with blocks of four drafts.

#include <fmt/format.h>

#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

/// A sampling of theirs, and where ours is.
struct Sampling {
  const char* task;
  const char* name;
  const char* sweep;
  double temperature;
};

constexpr Sampling kSamplings[] = {{"xsum", "nucleus", "nucleus_summaries", 1.0},
                                   {"xsum", "greedy", "nucleus_summaries", 0.0},
                                   {"humaneval", "nucleus", "nucleus_code", 0.8}};

std::size_t row_of(const analysis::Table& table, const Sampling& sampling,
                   const std::string& method, const std::string& quantity) {
  const auto test = [&](std::size_t row) {
    return is(table, row, "task", sampling.task) && is(table, row, "sampling", sampling.name) &&
           is(table, row, "method", method) && is(table, row, "quantity", quantity);
  };
  return row_where(
      table, test,
      fmt::format("{} of {} for {} {}", quantity, method, sampling.task, sampling.name));
}

const analysis::Group& group_of(const MeasuredRun& run, double temperature,
                                const std::string& drafter) {
  return group_where(
      run.pooled(),
      [&](const analysis::Group& g) {
        return g.axes.temperature == temperature && g.axes.drafter == drafter;
      },
      fmt::format("{} at temperature {}", drafter, temperature));
}

analysis::Estimate token_time_ms(const analysis::Group& group) {
  return scaled(needed(group.summary.token_ns, "rounds"), 1e-6);
}

void add_sampling(const analysis::Table& table, const Sampling& sampling, const MeasuredRun& run,
                  Reproduction& result, BesideFigure& figure) {
  const analysis::Group &plain = group_of(run, sampling.temperature, "none"),
                        &speculative = group_of(run, sampling.temperature, "small_transformer");
  const std::string setting = fmt::format("task={};sampling={}", sampling.task, sampling.name);
  const auto add = [&](const char* method, const char* quantity, const std::string& name,
                       const analysis::Estimate& ours) {
    result.rows.push_back(compare(table, row_of(table, sampling, method, quantity), "value",
                                  measured(setting + ";method=" + method, name, ours)));
  };
  add("autoregressive", "mean_token_time_ms", "mean_token_time_ms", token_time_ms(plain));
  add("speculative", "mean_token_time_ms", "mean_token_time_ms", token_time_ms(speculative));
  add("speculative", "speedup_ratio", "decoding_speedup",
      needed(speculative.summary.decoding_speedup, "plain generations"));
  const double x = figure.place(fmt::format("{}, {}", sampling.task, sampling.name));
  figure.add("small transformer", x,
             needed(speculative.summary.decoding_speedup, "plain generations"));
  figure.add_theirs("Chinchilla 70B with 4B (theirs)", x, *result.rows.back().reference);
  add("speculative", "implied_tokens_per_round", "tokens_per_round",
      needed(speculative.summary.tokens_per_round, "rounds"));
  add("speculative", "implied_acceptance_rate", "acceptance_rate",
      needed(speculative.summary.acceptance_rate, "drafts"));
}

}  // namespace

Reproduction chen_table_1(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun summaries(folders.at("nucleus_summaries")), code(folders.at("nucleus_code"));
  const analysis::Table table = papers.table("chen_table1.csv");
  BesideFigure figure(
      "chen_table_1", "Speed-up of blocks of four drafts", {.label = ""},
      "speed-up of a token's time",
      "Filled: ours, " + summaries.description() +
          (code.description() == summaries.description() ? ""
                                                         : " (code: " + code.description() + ")") +
          ", without the prompt's reading, bars 95 % over prompts. Hollow: Table 1 of Chen et al. "
          "2023.");
  Reproduction result;
  for (const Sampling& sampling : kSamplings)
    add_sampling(table, sampling, std::string(sampling.sweep) == "nucleus_code" ? code : summaries,
                 result, figure);
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(summaries.description() + "; code: " + code.description(),
                     "Chinchilla (70B) on 16 TPU-v4, drafts of 4B in 1.8 ms, XSum and HumanEval"));
  result.remarks.emplace_back(
      "not rebuilt: ROUGE-2 and the share of programs that pass. The output law is the target's "
      "(speclab verify), so the drafter cannot change either");
  result.remarks.emplace_back(
      "their tokens a round and acceptance are not printed; they are implied by times: (4 x 1.8 + "
      "14.1) ms over the time of a token");
  return result;
}

}  // namespace speclab::experiments
