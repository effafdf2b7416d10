#include "experiments/drivers/commands/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "analysis/plots/gnuplot.h"
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

}  // namespace

int run_predict(const PredictOptions& options) {
  if (options.csv && options.json)
    throw ConfigError("--csv and --json contradict each other; give one");
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
