#include "experiments/drivers/compose/device_predictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "experiments/drivers/compose/contradictions.h"
#include "experiments/drivers/compose/device_rounds.h"
#include "experiments/drivers/compose/device_rule.h"
#include "experiments/drivers/compose/kept_drafts.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kLongestContext = 1'000'000;
constexpr int kUsualRoundContext = 192;  ///< amid a text of 128 tokens behind a prompt of as many
constexpr std::size_t kMostNames = 16;
const std::vector<int> kUsualRows{1, 2, 4, 8, 16};
const std::vector<int> kUsualContexts{512, 2048};
const std::vector<int> kUsualLengths{1, 2, 4, 8};

std::vector<int> one_or(const std::optional<int>& value, const std::vector<int>& usual) {
  return value ? std::vector<int>{*value} : usual;
}

void expect_within(const char* option, const std::optional<int>& value, int least, int most) {
  if (value && (*value < least || *value > most))
    throw ConfigError(
        fmt::format("{} {}; allowed: integers from {} to {}", option, *value, least, most));
}

std::vector<std::string> names_of(const char* option, const std::string& text) {
  const std::vector<std::string> names = split(text, ',');
  if (names.size() > kMostNames)
    throw ConfigError(
        fmt::format("{}: {} names; allowed: at most {}", option, names.size(), kMostNames));
  return names;
}

std::vector<Kernels> kernels_of_names(const std::vector<std::string>& names) {
  std::vector<Kernels> all;
  for (const std::string& name : names) all.push_back(kernels_of(name));
  return all;
}

/// Low: without the rule's error. High: with it, and with nothing saved.
analysis::Estimate with_error(double us, double unsaved_us, double error) {
  return {us, analysis::Interval{us * (1 - error), unsaved_us * (1 + error)}};
}

/// The jackknife's interval over groups of texts, widened by the error of the rule.
analysis::Estimate speedup_of(const KeptDrafts& kept, double plain_us, double round_us,
                              double error) {
  std::vector<double> without;
  for (const RoundsOfText& rounds : kept.without)
    without.push_back(rounds.speedup(plain_us, round_us));
  const double speedup = kept.mean.speedup(plain_us, round_us);
  analysis::Estimate estimate = sim::jackknife_estimate(speedup, without, sim::Scale::logarithm);
  const double texts = estimate.interval ? std::log(estimate.interval->high / speedup) : 0.0,
               both = std::exp(std::hypot(texts, std::log1p(error)));
  estimate.interval = analysis::Interval{speedup / both, speedup * both};
  return estimate;
}

class Predictor {
 public:
  explicit Predictor(const PredictOptions& options)
      : options_(options),
        shapes_(names_of("--pass-of", *options.pass_of)),
        kernels_(kernels_of_names(names_of("--kernels", options.kernels.value_or("measured")))) {
    for (const std::string& name : names_of("--device", options.device.value_or("h200")))
      devices_.push_back(device_rule(name));
    expect_within("--rows", options.rows, 1, sim::kMostRuleRows);
    expect_within("--context", options.context, 0, kLongestContext);
    expect_within("--speculation-length", options.speculation_length, 1, sim::kMostRuleRows - 1);
  }

  DevicePredictions predict() && {
    options_.rounds ? add_rounds() : add_passes();
    add_notes();
    return std::move(result_);
  }

 private:
  void add_passes() {
    for (const DeviceRule& device : devices_)
      for (const std::string& name : shapes_)
        for (const int context : one_or(options_.context, kUsualContexts))
          for (const int rows : one_or(options_.rows, kUsualRows))
            for (const Kernels kernels : kernels_) add_pass(device, name, {rows, context}, kernels);
  }

  void add_pass(const DeviceRule& device, const std::string& name, const sim::PassLoad& load,
                Kernels kernels) {
    const sim::PassShape shape = sim::pass_shape(name);
    result_.passes.push_back(
        {.device = device.device,
         .kernels = std::string(to_string(kernels)),
         .shape = name,
         .rows = load.rows,
         .context = load.context,
         .us = with_error(device.pass_us(shape, load, kernels),
                          device.pass_us(shape, load, Kernels::measured),
                          device.errors.at(load.rows)),
         .bytes_us = shape.read_bytes(load.context) / device.rule.read_gb_per_s / 1e3});
  }

  std::vector<std::string> drafters() const {
    return options_.choice.drafter ? std::vector{*options_.choice.drafter} : drafters_on_device();
  }

  std::vector<double> temperatures() const {
    if (!options_.temperature) return temperatures_on_device();
    return {
        parse_number("--temperature", *options_.temperature, {0.0, 1e3, "numbers from 0 to 1000"})};
  }

  /// Counts come before shapes, because texts are simulated once for all shapes and devices.
  void add_rounds() {
    for (const std::string& drafter : drafters())
      for (const double temperature : temperatures())
        for (const int length : one_or(options_.speculation_length, kUsualLengths)) {
          const KeptDrafts kept = kept_drafts(drafter, temperature, length);
          for (const DeviceRule& device : devices_)
            for (const std::string& name : shapes_)
              for (const Kernels kernels : kernels_)
                add_round(device, name,
                          {.drafter = drafter,
                           .is_sampled = temperature > 0,
                           .drafts = length,
                           .context = options_.context.value_or(kUsualRoundContext)},
                          temperature, kept, kernels);
        }
  }

  void add_round(const DeviceRule& device, const std::string& name, const RoundOnDevice& round,
                 double temperature, const KeptDrafts& kept, Kernels kernels) {
    const sim::PassShape shape = sim::pass_shape(name);
    const double error = device.errors.at(round.drafts + 1),
                 plain = plain_round_us(device, shape, round.is_sampled, round.context, kernels),
                 us = round_us(device, shape, round, kernels);
    result_.rounds.push_back(
        {.device = device.device,
         .kernels = std::string(to_string(kernels)),
         .shape = name,
         .drafter = round.drafter,
         .temperature = temperature,
         .drafts = round.drafts,
         .round_us = with_error(us, round_us(device, shape, round, Kernels::measured), error),
         .plain_us = plain,
         .tokens_per_round = kept.mean.tokens / kept.mean.rounds,
         .drafting_fraction = kept.mean.drafting_rounds / kept.mean.rounds,
         .predicted_speedup = speedup_of(kept, plain, us, error)});
  }

  void add_notes() {
    const sim::PassErrors& errors = devices_.front().errors;
    result_.notes.push_back(fmt::format(
        "The rule is fitted to passes of four shapes on an H200. At a shape that is left out it "
        "is off by at most {:.1f} % at up to 4 rows, {:.1f} % at 8 and {:.1f} % at 16.",
        100 * errors.four_rows, 100 * errors.eight_rows, 100 * errors.sixteen_rows));
    for (const DeviceRule& device : devices_)
      if (device.device == "h100")
        result_.notes.emplace_back(
            "An H100 has its own read bandwidth here, and the latencies of the H200; no interval "
            "holds the difference.");
    if (std::ranges::find(kernels_, Kernels::planned) != kernels_.end())
      result_.notes.emplace_back(
          "Planned kernels save what their changes should bring; nothing of it was measured.");
  }

  const PredictOptions& options_;
  std::vector<std::string> shapes_;
  std::vector<Kernels> kernels_;
  std::vector<DeviceRule> devices_;
  DevicePredictions result_;
};

void check_device_options(const PredictOptions& options) {
  std::vector<std::string> others = options_of_other_predictions(options);
  const auto add = [&](const char* name, bool is_given) {
    if (is_given) others.emplace_back(name);
  };
  add("--machine", options.machine.has_value());
  add("--counts", options.counts.has_value());
  add("--prompt-tokens", options.prompt_tokens.has_value());
  add("--new-tokens", options.new_tokens.has_value());
  add("--model", options.choice.model.has_value());
  add("--verifier", options.choice.verifier.has_value());
  if (options.rounds) add("--rows", options.rows.has_value());
  if (!options.rounds) {
    add("--drafter", options.choice.drafter.has_value());
    add("--temperature", options.temperature.has_value());
    add("--speculation-length", options.speculation_length.has_value());
  }
  if (!others.empty())
    throw ConfigError(fmt::format("--pass-of{} contradicts {}; leave one out",
                                  options.rounds ? " with --rounds" : "", fmt::join(others, ", ")));
}

void check_error_options(const PredictOptions& options) {
  std::vector<std::string> others = options_of_other_predictions(options);
  for (const std::string& name : options_of_passes(options)) others.push_back(name);
  if (options.pass_of) others.emplace_back("--pass-of");
  if (options.machine) others.emplace_back("--machine");
  if (!others.empty())
    throw ConfigError(
        fmt::format("--pass-errors contradicts {}; leave one out", fmt::join(others, ", ")));
}

}  // namespace

std::vector<analysis::LeftOutPassRow> pass_errors(const PredictOptions& options) {
  check_error_options(options);
  const KeptPasses kept = kept_passes();
  std::vector<analysis::LeftOutPassRow> rows;
  for (const sim::LeftOutPass& at : kept.left_out())
    rows.push_back({.shape = kept.shapes[at.group],
                    .rows = at.pass.load.rows,
                    .context = at.pass.load.context,
                    .measured_us = at.pass.us,
                    .predicted_us = at.predicted_us,
                    .relative_error = at.error()});
  return rows;
}

DevicePredictions device_predictions(const PredictOptions& options) {
  check_device_options(options);
  return Predictor(options).predict();
}

}  // namespace speclab::experiments
