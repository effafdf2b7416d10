#include "experiments/drivers/commands/predict.h"

#include <fmt/format.h>

#include "analysis/plots/gnuplot.h"
#include "experiments/drivers/predict/prediction_figure.h"
#include "experiments/drivers/predict/prediction_tables.h"
#include "experiments/drivers/predict/prediction_text.h"
#include "sim/core/errors.h"

namespace speclab::experiments {

int run_predict(const PredictOptions& options) {
  if (options.csv && options.json) throw ConfigError("--csv and --json contradict each other; give one");
  if (options.plot) analysis::expect_drawable(*options.plot);
  const Prediction prediction = predict(options);
  if (options.plot) analysis::draw_file(prediction_figure(prediction), *options.plot);
  if (options.csv)  // a CSV file has no place for notes
    for (const std::string& note : prediction.notes) fmt::print(stderr, "note: {}\n", note);
  fmt::print("{}", options.csv ? prediction_csv(prediction) : options.json ? prediction_json(prediction) : prediction_text(prediction));
  return 0;
}

}  // namespace speclab::experiments
