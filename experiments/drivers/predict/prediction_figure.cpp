#include "experiments/drivers/predict/prediction_figure.h"

#include <fmt/format.h>

namespace speclab::experiments {
namespace {

analysis::Point point(int x, const IntervalValue& y) {
  return {.x = static_cast<double>(x), .y = y.value, .interval = y.interval};
}

}  // namespace

analysis::Figure prediction_figure(const Prediction& prediction) {
  analysis::Figure figure{.id = "prediction",
                          .title = "Predicted speed-up over the speculation length",
                          .caption = "",
                          .x = {.label = "speculation length, tokens"},
                          .y = {.label = "tokens a round; ratio to plain decoding"},
                          .reference = analysis::ReferenceLine{.y = 1.0, .name = "plain decoding"}};
  figure.series = {{.name = "tokens a round", .colour = 1},
                   {.name = "predicted speed-up", .colour = 2}};
  if (prediction.trace_optimum)
    for (const char* name : {"tokens a round by position", "speed-up by position"})
      figure.series.push_back({.name = name, .colour = figure.series.size() + 1});
  for (const PredictedLength& at : prediction.curve) {
    figure.series[0].points.push_back(point(at.speculation_length, at.tokens_per_round));
    figure.series[1].points.push_back(point(at.speculation_length, at.predicted_speedup));
    if (at.trace_tokens_per_round)
      figure.series[2].points.push_back(point(at.speculation_length, *at.trace_tokens_per_round));
    if (at.trace_predicted_speedup)
      figure.series[3].points.push_back(point(at.speculation_length, *at.trace_predicted_speedup));
  }
  figure.caption =
      fmt::format("Acceptance rate {:.4g} ({}); costs: {}. The best length is {}.{}",
                  prediction.acceptance_rate.value, prediction.acceptance_source,
                  prediction.cost_source, prediction.optimum.at.speculation_length,
                  prediction.has_interval ? " Bars: all that the inputs' intervals allow." : "");
  for (const std::string& origin : prediction.origins) figure.caption += " " + origin;
  return figure;
}

}  // namespace speclab::experiments
