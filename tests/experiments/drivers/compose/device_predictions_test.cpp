// Passes and rounds that are predicted for a device: against what was measured, and against the
// committed tables.
#include "experiments/drivers/compose/device_predictions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/table.h"
#include "experiments/drivers/compose/device_rounds.h"
#include "experiments/drivers/compose/device_rule.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

const std::string kReference = SPECLAB_SOURCE_DIR "/results/reference/";

/// Defect: the rule is wrong by more than a tenth at a shape that it has not seen, or at 8 and 16
/// rows by more than its README says.
TEST(DeviceRule, HoldsAtShapesThatAreLeftOut) {
  int count = 0;
  for (const analysis::LeftOutPassRow& at : pass_errors({})) {
    const double allowed = at.rows <= 4 ? 0.04 : at.rows <= 8 ? 0.05 : 0.10;
    EXPECT_LT(std::abs(at.relative_error), allowed) << at.shape << " " << at.rows << " rows";
    ++count;
  }
  EXPECT_EQ(count, 4 * 2 * 5);
}

/// Defect: a shape has other weights, keys or values than the engine reads.
TEST(DeviceRule, ReadsTheBytesThatWereCountedWithThePasses) {
  const analysis::Table table = analysis::Table::read(kReference + "gpu_h200/passes.csv");
  const DeviceRule device = device_rule("h200");
  int count = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "what") != "pass at context 2048" ||
        !table.text(row, "revision").starts_with("d76f9f"))
      continue;
    const double us = sim::pass_shape(table.text(row, "shape")).read_bytes(2048) /
                      device.rule.read_gb_per_s / 1e3;
    EXPECT_NEAR(us / (1e3 * table.number(row, "ideal_ms")), 1.0, 1e-3) << table.text(row, "shape");
    ++count;
  }
  EXPECT_EQ(count, 28);
}

/// Defect: contexts of one block of keys are taken for longer ones; sizes other than the fitted
/// ones have other heads. None of these rows took part in the fit.
TEST(DeviceRule, HoldsForForwardsOfRunsAtShortContexts) {
  const DeviceRule device = device_rule("h200");
  const analysis::Table table =
      analysis::Table::read(kReference + "gpu_walltime_vs_model_size_h200/costs.csv");
  int count = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto rows = static_cast<int>(table.count(row, "rows"));
    if (table.text(row, "kind") != "target" || rows > 8 || rows == 6) continue;
    const std::string model = table.text(row, "model");
    const sim::PassShape shape = sim::pass_shape(model == "smollm2-135m" ? "shape-135m" : model);
    const double us = device.pass_us(shape, {rows, static_cast<int>(table.count(row, "context"))},
                                     Kernels::measured);
    EXPECT_NEAR(us / (table.number(row, "ns") / 1e3), 1.0, 0.05) << model << " " << rows;
    ++count;
  }
  EXPECT_EQ(count, 5 * 2 * 6);
}

/// Defect: drafts, the rest of a round or the counts enter wrongly. The counts are of other texts
/// than those of the run.
TEST(DeviceRounds, HoldTheSpeedupsThatWereMeasured) {
  const analysis::Table cells =
      analysis::Table::read(kReference + "gpu_walltime_vs_temperature_h200/cells.csv");
  int count = 0;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells.text(row, "drafter") == "none" || cells.text(row, "category") != "all") continue;
    PredictOptions options{.choice = {.drafter = "small_transformer"},
                           .temperature = cells.text(row, "temperature"),
                           .pass_of = "shape-135m",
                           .rounds = true,
                           .speculation_length = std::stoi(cells.text(row, "policy").substr(9))};
    const auto rounds = device_predictions(options).rounds;
    ASSERT_EQ(rounds.size(), 1U);
    const double measured = cells.number(row, "speedup");
    EXPECT_LT(rounds[0].predicted_speedup.low(), measured) << cells.text(row, "cell_id");
    EXPECT_GT(rounds[0].predicted_speedup.high(), measured) << cells.text(row, "cell_id");
    EXPECT_NEAR(rounds[0].predicted_speedup.value / measured, 1.0, 0.06);
    ++count;
  }
  EXPECT_EQ(count, 20);
}

/// Defect: planned kernels save in the wrong direction, once a pass, or in measured ones too.
TEST(DeviceRounds, SaveWithPlannedKernelsOnly) {
  const DeviceRule device = device_rule("h200");
  const sim::PassShape shape = sim::pass_shape("shape-8b");
  const auto saved = [&](const RoundOnDevice& round) {
    return round_us(device, shape, round, Kernels::measured) -
           round_us(device, shape, round, Kernels::planned);
  };
  EXPECT_NEAR(saved({"prompt_lookup", false, 4, 100}), 32 * 2.1 + 6, 1e-9);
  EXPECT_NEAR(saved({"small_transformer", false, 4, 100}), 32 * 2.1 + 6 + 4 * 2.5, 1e-9);
  EXPECT_NEAR(saved({"feature_transformer", true, 4, 100}), 32 * 2.1 + 15 + 4 * 12, 1e-9);
  EXPECT_NEAR(plain_round_us(device, shape, true, 100, Kernels::measured) -
                  plain_round_us(device, shape, true, 100, Kernels::planned),
              32 * 2.1 + 15, 1e-9);
}

/// A device with more bandwidth is no slower. Defect: the devices are mistaken for one another.
TEST(DeviceRule, GivesAnH100ItsOwnBandwidth) {
  const DeviceRule h100 = device_rule("h100"), h200 = device_rule("h200");
  const sim::PassShape shape = sim::pass_shape("shape-8b");
  EXPECT_GT(h100.pass_us(shape, {1, 0}, Kernels::measured),
            h200.pass_us(shape, {1, 0}, Kernels::measured) +
                0.9 * shape.read_bytes(0) * (1 / 3099.6 - 1 / 4545.21) / 1e3);
  EXPECT_EQ(h100.rule.layer_us, h200.rule.layer_us);
}

void expect_equal_fields(const std::string& mine, const std::string& kept,
                         const std::string& line) {
  if (mine == kept) return;
  const double value = std::stod(mine), reference = std::stod(kept);
  // Another order of sums may move the last digits.
  EXPECT_NEAR(value, reference, 1e-6 * std::abs(reference)) << line;
}

void expect_equal_tables(const std::string& mine, const std::string& file) {
  const std::vector<std::string> lines = split(mine, '\n'),
                                 kept = split(read_file(kReference + file), '\n');
  ASSERT_EQ(lines.size(), kept.size()) << file;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i], ','), others = split(kept[i], ',');
    ASSERT_EQ(fields.size(), others.size()) << kept[i];
    for (std::size_t j = 0; j < fields.size(); ++j)
      expect_equal_fields(fields[j], others[j], kept[i]);
  }
}

constexpr const char* kWidened = "shape-135m,shape-360m,2304x4608x30,4096x14336x32";

/// Defect: a committed prediction is no longer what the committed inputs and the rule give.
TEST(CommittedPredictions, AreThoseOfTheProgram) {
  expect_equal_tables(pass_errors_output(pass_errors({.csv = true}), {.csv = true}),
                      "gpu_predicted_rounds/errors.csv");
  expect_equal_tables(
      device_predictions_csv(device_predictions(
          {.pass_of =
               std::string("shape-gpt2-124m,shape-llama-3.2-1b,shape-llama-3.1-8b,") + kWidened,
           .device = "h100,h200",
           .kernels = "measured,planned"})),
      "gpu_predicted_rounds/passes.csv");
  expect_equal_tables(
      device_predictions_csv(device_predictions(
          {.pass_of = kWidened, .device = "h100,h200", .kernels = "planned", .rounds = true})),
      "gpu_predicted_rounds/predicted_rounds.csv");
}

std::string device_refusal(const PredictOptions& options) {
  try {
    device_predictions(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

/// Defect: an option is not heeded, and nobody is told.
TEST(DevicePredictions, RefuseOptionsThatTheyDoNotHeed) {
  const std::vector<std::pair<std::string, PredictOptions>> refused{
      {"--rows 17", {.pass_of = "shape-8b", .rows = 17}},
      {"--device", {.pass_of = "shape-8b", .device = "a100"}},
      {"--kernels", {.pass_of = "shape-8b", .kernels = "new"}},
      {"--context", {.context = -1, .pass_of = "shape-8b"}},
      {"--rows", {.pass_of = "shape-8b", .rows = 4, .rounds = true}},
      {"--drafter", {.choice = {.drafter = "ngram"}, .pass_of = "shape-8b"}},
      {"--drafter", {.choice = {.drafter = "unigram"}, .pass_of = "shape-8b", .rounds = true}},
      {"--temperature", {.temperature = "2", .pass_of = "shape-8b", .rounds = true}},
      {"--cost-ratio", {.cost_ratio = "0.1", .pass_of = "shape-8b"}},
      {"--machine", {.machine = "desk", .pass_of = "shape-8b"}},
      {"--speculation-length", {.pass_of = "shape-8b", .rounds = true, .speculation_length = 16}},
  };
  for (const auto& [part, options] : refused)
    EXPECT_NE(device_refusal(options).find(part), std::string::npos) << device_refusal(options);
  EXPECT_THROW(pass_errors({.pass_of = "shape-8b"}), ConfigError);
}

}  // namespace
}  // namespace speclab::experiments
