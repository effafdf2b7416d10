#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/drivers/compose/device_predictions.h"
#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

std::string shown_us(const analysis::Estimate& us) {
  return us.interval ? fmt::format("{:.0f} [{:.0f}, {:.0f}]", us.value, us.low(), us.high())
                     : fmt::format("{:.0f}", us.value);
}

std::string shown_ratio(const analysis::Estimate& ratio) {
  return ratio.interval
             ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio.value, ratio.low(), ratio.high())
             : fmt::format("{:.2f}", ratio.value);
}

std::string passes_text(const std::vector<analysis::PredictedPassRow>& passes) {
  TextTable table({"device", "kernels", "shape", "context", "rows", "pass (µs)", "bytes (µs)"});
  for (const analysis::PredictedPassRow& at : passes)
    table.add_row({at.device, at.kernels, at.shape, fmt::format("{}", at.context),
                   fmt::format("{}", at.rows), shown_us(at.us),
                   fmt::format("{:.0f}", at.bytes_us)});
  return table.text();
}

std::string rounds_text(const std::vector<analysis::PredictedRoundRow>& rounds) {
  TextTable table({"device", "kernels", "shape", "drafter", "temperature", "drafts", "round (µs)",
                   "plain (µs)", "tokens/round", "predicted speed-up"});
  for (const analysis::PredictedRoundRow& at : rounds)
    table.add_row({at.device, at.kernels, at.shape, at.drafter, fmt::format("{}", at.temperature),
                   fmt::format("{}", at.drafts), shown_us(at.round_us),
                   fmt::format("{:.0f}", at.plain_us), fmt::format("{:.2f}", at.tokens_per_round),
                   shown_ratio(at.predicted_speedup)});
  return table.text();
}

using nlohmann::ordered_json;

void put(ordered_json& object, const std::string& name, const analysis::Estimate& value) {
  object[name] = value.value;
  if (!value.interval) return;
  object[name + "_low"] = value.low();
  object[name + "_high"] = value.high();
}

ordered_json pass_json(const analysis::PredictedPassRow& at) {
  ordered_json one{{"device", at.device},
                   {"kernels", at.kernels},
                   {"shape", at.shape},
                   {"rows", at.rows},
                   {"context", at.context}};
  put(one, "us", at.us);
  one["bytes_us"] = at.bytes_us;
  return one;
}

ordered_json round_json(const analysis::PredictedRoundRow& at) {
  ordered_json one{
      {"device", at.device},   {"kernels", at.kernels},         {"shape", at.shape},
      {"drafter", at.drafter}, {"temperature", at.temperature}, {"speculation_length", at.drafts}};
  put(one, "round_us", at.round_us);
  one["plain_us"] = at.plain_us;
  one["tokens_per_round"] = at.tokens_per_round;
  one["drafting_fraction"] = at.drafting_fraction;
  put(one, "predicted_speedup", at.predicted_speedup);
  return one;
}

std::string errors_text(const std::vector<analysis::LeftOutPassRow>& passes) {
  TextTable table(
      {"shape left out", "context", "rows", "measured (µs)", "predicted (µs)", "error"});
  for (const analysis::LeftOutPassRow& at : passes)
    table.add_row({at.shape, fmt::format("{}", at.context), fmt::format("{}", at.rows),
                   fmt::format("{:.0f}", at.measured_us), fmt::format("{:.0f}", at.predicted_us),
                   fmt::format("{:+.1f} %", 100 * at.relative_error)});
  return table.text();
}

std::string errors_json(const std::vector<analysis::LeftOutPassRow>& passes) {
  ordered_json object{{"passes", ordered_json::array()}};
  for (const analysis::LeftOutPassRow& at : passes)
    object["passes"].push_back({{"shape", at.shape},
                                {"rows", at.rows},
                                {"context", at.context},
                                {"measured_us", at.measured_us},
                                {"predicted_us", at.predicted_us},
                                {"relative_error", at.relative_error}});
  return object.dump() + "\n";
}

}  // namespace

std::string pass_errors_output(const std::vector<analysis::LeftOutPassRow>& passes,
                               const PredictOptions& options) {
  if (options.csv) return analysis::left_out_passes_table().csv(passes);
  return options.json ? errors_json(passes) : errors_text(passes);
}

std::string device_predictions_text(const DevicePredictions& predictions) {
  std::string text = predictions.rounds.empty() ? passes_text(predictions.passes)
                                                : rounds_text(predictions.rounds);
  text += "\n";
  for (const std::string& note : predictions.notes) text += note + "\n";
  return text;
}

std::string device_predictions_json(const DevicePredictions& predictions) {
  ordered_json object{{"is_measured", false}, {"notes", predictions.notes}};
  for (const auto& at : predictions.passes) object["passes"].push_back(pass_json(at));
  for (const auto& at : predictions.rounds) object["rounds"].push_back(round_json(at));
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string device_predictions_csv(const DevicePredictions& predictions) {
  return predictions.rounds.empty() ? analysis::predicted_passes_table().csv(predictions.passes)
                                    : analysis::predicted_rounds_table().csv(predictions.rounds);
}

}  // namespace speclab::experiments
