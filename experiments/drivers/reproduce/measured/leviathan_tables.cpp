// Table 2 of Leviathan et al. 2023: the fastest length of each drafter, its acceptance and
// speed-up.
// Table 3 of Leviathan et al. 2023: acceptance of n-grams and small models.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/reproduce/measured/measured_run.h"

namespace speclab::experiments {
namespace {

/// Their tasks and the categories of ours that are like them.
constexpr std::pair<const char*, const char*> kTasks[] = {{"wmt_en_de", "translation"},
                                                          {"cnn_dm", "summarisation"}};

/// The length that is the fastest, as they chose it: on what is shown.
const analysis::Group& fastest(const MeasuredRun& run, const std::string& category,
                               const std::string& drafter, double temperature) {
  const analysis::Group* best = nullptr;
  for (const analysis::Group& group : run.by_category()) {
    if (group.category != category || group.axes.drafter != drafter ||
        group.axes.temperature != temperature || !group.summary.speedup)
      continue;
    if (!best || group.summary.speedup->value > best->summary.speedup->value) best = &group;
  }
  if (!best)
    throw DataError(
        fmt::format("the sweep has no {} in {} at temperature {}; measure it with the config in "
                    "experiments/configs/papers",
                    drafter, category, temperature));
  return *best;
}

std::size_t row_of(const analysis::Table& table, const std::string& task, const std::string& model,
                   double temperature) {
  const auto test = [&](std::size_t row) {
    return is(table, row, "task", task) && is(table, row, "draft_model", model) &&
           table.number(row, "temperature") == temperature;
  };
  return row_where(table, test,
                   fmt::format("{} for {} at temperature {}", model, task, temperature));
}

struct TablePlace {
  const analysis::Table& table;
  const char* task;
  const char* category;
  double temperature;
};

void add_measured_drafter(const MeasuredRun& run, const TablePlace& place,
                          const std::string& drafter, Reproduction& result, BesideFigure& figure) {
  const analysis::Group& best = fastest(run, place.category, drafter, place.temperature);
  const std::string setting =
      fmt::format("task={};drafter={};temperature={};policy={}", place.category, drafter,
                  place.temperature, best.axes.policy);
  Comparison speedup = measured(setting, "speedup", *best.summary.speedup),
             acceptance = measured(setting, "acceptance_rate",
                                   needed(best.summary.acceptance_rate, "drafts of " + drafter));
  const double x = figure.place(fmt::format("{}, T={}", place.category, place.temperature));
  figure.add(drafter, x, *best.summary.speedup);
  if (drafter == "small_transformer") {
    // their smallest draft model, which is what ours is
    const std::size_t row = row_of(place.table, place.task, "T5-small", place.temperature);
    speedup = compare(place.table, row, "speedup_ratio", speedup);
    acceptance = compare(place.table, row, "acceptance_rate", acceptance);
    figure.add_theirs("T5-small for T5-XXL (theirs)", x, *speedup.reference);
  }
  result.rows.push_back(speedup);
  result.rows.push_back(acceptance);
}

/// The first such row.
const Comparison& row_of(const Reproduction& result, const std::string& category,
                         const std::string& drafter, double temperature) {
  const std::string start =
      fmt::format("task={};drafter={};temperature={};", category, drafter, temperature);
  return *std::ranges::find_if(
      result.rows, [&](const Comparison& row) { return row.setting.starts_with(start); });
}

std::string temperature_remark(const Reproduction& result, const std::string& category) {
  const Comparison &greedy = row_of(result, category, "small_transformer", 0.0),
                   &sampled = row_of(result, category, "small_transformer", 1.0);
  return fmt::format(
      "{}: from temperature 0 to 1 the speed-up goes from {:.2f} to {:.2f}, theirs from {} to {}",
      category, greedy.ours, sampled.ours, *greedy.reference, *sampled.reference);
}

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

Reproduction leviathan_table_2(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("best_length"));
  const analysis::Table table = papers.table("leviathan_table2.csv");
  BesideFigure figure("leviathan_table_2", "Speed-up of the fastest length", {.label = ""},
                      "speed-up over plain decoding",
                      "Filled: ours, " + run.description() +
                          ", the fastest of the lengths 3, 5 and 7, bars 95 % over prompts. "
                          "Hollow: Table 2 of Leviathan et al. 2023.");
  Reproduction result;
  for (const auto& [task, category] : kTasks)
    for (const double temperature : {0.0, 1.0})
      for (const char* drafter : {"bigram", "ngram", "small_transformer"})
        add_measured_drafter(run, {table, task, category, temperature}, drafter, result, figure);
  result.figures.push_back(figure.figure());
  result.remarks.push_back(context_remark(run.description(),
                                          "T5-XXL (11B) on one TPU-v4, English to German and news "
                                          "summaries, drafts of T5-small (77M)"));
  for (const auto& [task, category] : kTasks)
    result.remarks.push_back(temperature_remark(result, category));
  result.remarks.emplace_back(
      "not rebuilt: drafts of T5-base and T5-large, eight of their twelve rows; this project has "
      "one small transformer (7 % of its target's parameters; T5-small has 0.7 %, T5-large 7 %), "
      "shown beside T5-small, their smallest");
  result.remarks.emplace_back(
      "the fastest length is chosen on the numbers shown, as theirs, which favours it a little");
  return result;
}

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
      result.rows.push_back(compare(table, row_of(table, pairing.task, pairing.theirs, temperature),
                                    "acceptance_rate", measured(setting, "acceptance_rate", ours)));
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
