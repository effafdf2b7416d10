// Table 3 of Leviathan et al. 2023: acceptance of n-grams and small models.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/reproduce/measured/beside_figure.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

/// A row of theirs and what of ours is like it.
struct Pairing {
  const char* task;
  const char* category;
  const char* theirs;
  const char* ours;
};

constexpr Pairing kPairings[] = {{"wmt_en_de", "translation", "unigram", "unigram"},
                                 {"wmt_en_de", "translation", "bigram", "bigram"},
                                 {"wmt_en_de", "translation", "T5-small", "small_transformer"},
                                 {"cnn_dm", "summarisation", "unigram", "unigram"},
                                 {"cnn_dm", "summarisation", "bigram", "bigram"},
                                 {"cnn_dm", "summarisation", "T5-small", "small_transformer"},
                                 {"dialogue", "chat", "LaMDA 100M", "small_transformer"}};

std::size_t row_of(const analysis::Table& table, const Pairing& pairing, double temperature) {
  const auto test = [&](std::size_t row) {
    return is(table, row, "task", pairing.task) && is(table, row, "draft_model", pairing.theirs) &&
           table.number(row, "temperature") == temperature;
  };
  return row_where(
      table, test,
      fmt::format("{} for {} at temperature {}", pairing.theirs, pairing.task, temperature));
}

const Comparison& row_of(const Reproduction& result, const std::string& category,
                         const std::string& drafter, double temperature) {
  const std::string start =
      fmt::format("task={};drafter={};temperature={};", category, drafter, temperature);
  return *std::ranges::find_if(
      result.rows, [&](const Comparison& row) { return row.setting.starts_with(start); });
}

/// In how many tasks and temperatures the unigram keeps less than the bigram, and that less than
/// the small transformer.
std::string order_remark(const Reproduction& result) {
  int places = 0, ours = 0, theirs = 0;
  for (const double temperature : {0.0, 1.0})
    for (const char* category : {"translation", "summarisation"}) {
      const Comparison &unigram = row_of(result, category, "unigram", temperature),
                       &bigram = row_of(result, category, "bigram", temperature),
                       &small = row_of(result, category, "small_transformer", temperature);
      ++places;
      ours += unigram.ours < bigram.ours && bigram.ours < small.ours ? 1 : 0;
      theirs +=
          *unigram.reference < *bigram.reference && *bigram.reference < *small.reference ? 1 : 0;
    }
  return fmt::format(
      "unigram < bigram < small model: theirs in {} of {} tasks and temperatures, ours in {}",
      theirs, places, ours);
}

}  // namespace

Reproduction leviathan_table_3(const Papers& papers, const RunFolders& folders) {
  const ObservedRun run(folders.at("own_text"));
  const analysis::Table table = papers.table("leviathan_table3.csv");
  BesideFigure figure("leviathan_table_3", "Acceptance by task", {.label = ""}, "acceptance",
                      "Filled: ours, " + run.description +
                          ", bars 95 % over prompts. Hollow: Table 3 of Leviathan et al. 2023 "
                          "(T5-XXL; LaMDA 137B for dialogue).");
  Reproduction result;
  for (const Pairing& pairing : kPairings)
    for (const double temperature : {0.0, 1.0}) {
      const analysis::Estimate& ours =
          drafter_where(run.by_category, pairing.ours, temperature, pairing.category)
              .depths.front()
              .acceptance;
      const std::string setting =
          fmt::format("task={};drafter={};temperature={};theirs={}", pairing.category, pairing.ours,
                      temperature, pairing.theirs);
      result.rows.push_back(compare(table, row_of(table, pairing, temperature), "acceptance_rate",
                                    measured(setting, "acceptance_rate", ours)));
      const double x = figure.place(fmt::format("{}, T={}", pairing.category, temperature));
      figure.add(pairing.ours, x, ours);
      figure.add_theirs(std::string(pairing.theirs) + " (theirs)", x,
                        *result.rows.back().reference);
    }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(order_remark(result));
  result.remarks.push_back(context_remark(
      run.description, "T5-XXL (11B) and LaMDA (137B, top-k 40), 10,000 tokens a number"));
  result.remarks.emplace_back(
      "not rebuilt: the language model of 97M without a prompt, drafts of T5-base, T5-large, LaMDA "
      "2B and 8B; this project has one draft model");
  return result;
}

}  // namespace speclab::experiments
