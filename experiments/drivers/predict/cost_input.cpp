#include "experiments/drivers/predict/cost_input.h"

#include <fmt/format.h>

#include "experiments/drivers/predict/interval_value.h"
#include "experiments/drivers/predict/measured_costs.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr AllowedNumbers kCostRatio{0.0, 1e6, "numbers from 0 to 1e6"};
constexpr AllowedNumbers kPositiveRatio{1e-6, 1e6, "numbers from 1e-6 to 1e6"};

double at_end(const IntervalValue& value, End end) {
  switch (end) {
    case End::value:
      return value.value;
    case End::low:
      return value.low();
    case End::high:
      return value.high();
  }
  throw_contract_error("an End", __FILE__, __LINE__, "not an End");
}

std::string text_of(const char* name, const IntervalValue& value) {
  return value.interval
             ? fmt::format("{} {} [{}, {}]", name, value.value, value.low(), value.high())
             : fmt::format("{} {}", name, value.value);
}

/// @throws ConfigError where an option that chooses among measurements has none to choose from
void check_nothing_to_choose(const PredictOptions& options) {
  if (options.context)
    throw ConfigError(
        "--context chooses among the costs of --costs; give that file or leave it out");
  if (!options.trace && !options.observed && options.chooses())
    throw ConfigError(
        "--model, --drafter, --verifier and --temperature choose among what --costs, --trace and "
        "--observed hold; give one of those or leave them out");
}

CostInput from_ratios(const PredictOptions& options) {
  if (!options.cost_ratio)
    throw ConfigError(
        "no cost of drafting; give --cost-ratio C (one draft forward / one target forward) or "
        "--costs COSTS.csv");
  check_nothing_to_choose(options);
  const IntervalValue draft = parse_interval_value("--cost-ratio", *options.cost_ratio, kCostRatio);
  const IntervalValue verify = parse_interval_value(
      "--verify-cost-ratio", options.verify_cost_ratio.value_or("1"), kPositiveRatio);
  const IntervalValue overhead =
      parse_interval_value("--overhead-ratio", options.overhead_ratio.value_or("0"), kCostRatio);
  const auto at = [=](int, const CostCorner& corner) {
    return sim::RelativeCosts{.cost_ratio = at_end(draft, corner.draft),
                              .verify_cost_ratio = at_end(verify, corner.verify),
                              .overhead_ratio = at_end(overhead, corner.overhead)};
  };
  const bool is_textbook = verify.low() == 1.0 && verify.high() == 1.0 && overhead.high() == 0.0;
  std::vector<std::string> notes;
  if (verify.low() < 1.0)
    notes.push_back(
        "v below 1: a forward over a whole draft is taken to cost less than one over a single "
        "token");
  return {.at = at,
          .longest = kLongestLength,
          .has_interval = draft.interval || verify.interval || overhead.interval,
          .is_textbook = is_textbook,
          .source = fmt::format("{}, {}, {}", text_of("c", draft), text_of("v", verify),
                                text_of("o", overhead)),
          .notes = notes};
}

}  // namespace

CostInput cost_input(const PredictOptions& options) {
  if (!options.costs) return from_ratios(options);
  if (options.cost_ratio || options.verify_cost_ratio || options.overhead_ratio)
    throw ConfigError(
        "--costs contradicts --cost-ratio, --verify-cost-ratio and --overhead-ratio: measured "
        "costs contain all three; give one or the other");
  return measured_costs(options);
}

}  // namespace speclab::experiments
