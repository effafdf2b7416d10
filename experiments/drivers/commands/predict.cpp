#include "experiments/drivers/commands/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "analysis/plots/gnuplot.h"
#include "experiments/drivers/compose/composed_speedups.h"
#include "experiments/drivers/compose/contradictions.h"
#include "experiments/drivers/compose/device_predictions.h"
#include "experiments/drivers/predict/asked_answers.h"
#include "experiments/drivers/predict/prediction_output.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

namespace {

/// For who reads CSV, which has no place for notes; where they cannot be written the table still
/// is.
void print_notes(const PredictOptions& options, const Prediction& prediction) {
  for (const std::string& note : prediction.notes)
    std::fputs(("note: " + note + "\n").c_str(), stderr);
  if (prediction.tree)
    std::fputs("note: the table is of chains; the text and --json have the tree\n", stderr);
  if (const auto asked = options_of_answers(options); !asked.empty())
    fmt::print(stderr, "note: the text and --json have the answers to {}\n",
               fmt::join(asked, ", "));
}

int print_composition(const PredictOptions& options) {
  const Composition composition = composed_speedups(options);
  fmt::print("{}", options.csv    ? composition_csv(composition)
                   : options.json ? composition_json(composition)
                                  : composition_text(composition));
  if (options.csv)
    for (const std::string& source : composition.sources) fmt::print(stderr, "note: {}\n", source);
  return 0;
}

int print_device_predictions(const PredictOptions& options) {
  const DevicePredictions predictions = device_predictions(options);
  fmt::print("{}", options.csv    ? device_predictions_csv(predictions)
                   : options.json ? device_predictions_json(predictions)
                                  : device_predictions_text(predictions));
  if (options.csv)
    for (const std::string& note : predictions.notes) fmt::print(stderr, "note: {}\n", note);
  return 0;
}

/// @throws ConfigError for options that belong to --pass-of
void check_no_passes(const PredictOptions& options) {
  if (const auto given = options_of_passes(options); !given.empty())
    throw ConfigError(
        fmt::format("{} belongs to --pass-of; give that or leave it out", fmt::join(given, ", ")));
}

/// @throws ConfigError for options that belong to --machine
void check_no_composition(const PredictOptions& options) {
  if (options.counts || options.prompt_tokens)
    throw ConfigError(fmt::format(
        "{} belongs to --machine, which composes costs with counts; give that or leave it out",
        options.counts ? "--counts" : "--prompt-tokens"));
}

}  // namespace

int run_predict(const PredictOptions& options) {
  if (options.csv && options.json)
    throw ConfigError("--csv and --json contradict each other; give one");
  if (options.pass_errors) {
    fmt::print("{}", pass_errors_output(pass_errors(options), options));
    return 0;
  }
  if (options.pass_of) return print_device_predictions(options);
  check_no_passes(options);
  if (options.machine) return print_composition(options);
  check_no_composition(options);
  if (options.plot) analysis::expect_drawable(*options.plot);
  const Prediction prediction = predict(options);
  if (options.plot) {
    analysis::draw_file(prediction_figure(prediction), *options.plot);
    fmt::print(stderr, "wrote {}\n", escaped(*options.plot, kLongestPath));
  }
  fmt::print("{}", options.csv    ? prediction_csv(prediction)
                   : options.json ? prediction_json(prediction)
                                  : prediction_text(prediction));
  if (options.csv) print_notes(options, prediction);
  return 0;
}

}  // namespace speclab::experiments
