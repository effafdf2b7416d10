#include "experiments/drivers/predict/cost_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "analysis/tables/costs.h"
#include "experiments/drivers/predict/pair_surface.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr AllowedNumbers kCostRatio{0.0, 1e6, "numbers from 0 to 1e6"};
constexpr AllowedNumbers kPositiveRatio{1e-6, 1e6, "numbers from 1e-6 to 1e6"};

double at_end(const analysis::Estimate& value, End end) {
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

std::string text_of(const char* name, const analysis::Estimate& value) {
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
  const analysis::Estimate draft = parse_estimate("--cost-ratio", *options.cost_ratio, kCostRatio);
  const analysis::Estimate verify = parse_estimate(
      "--verify-cost-ratio", options.verify_cost_ratio.value_or("1"), kPositiveRatio);
  const analysis::Estimate overhead =
      parse_estimate("--overhead-ratio", options.overhead_ratio.value_or("0"), kCostRatio);
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

using analysis::CostRow;

std::optional<Regime> regime_asked_for(const PredictOptions& options) {
  if (!options.temperature) return std::nullopt;
  return regime_of(
      parse_number("--temperature", *options.temperature, {0.0, 1e3, "numbers from 0 to 1000"}));
}

/// The rows of rounds of single sequences. @param notes  gets which others were left out
/// @throws DataError where the file has no row of a single sequence
std::vector<CostRow> of_one_sequence(const std::string& path, std::vector<CostRow> costs,
                                     std::vector<std::string>& notes) {
  if (std::erase_if(costs, [](const CostRow& row) { return !row.setting.generation.empty(); }) > 0)
    notes.push_back("costs under keys of GenerationConfig are left out: rounds are predicted");
  std::set<std::int64_t> batches;
  for (const CostRow& row : costs)
    if (row.setting.batch != 1) batches.insert(row.setting.batch);
  if (batches.empty()) return costs;
  std::erase_if(costs, [](const CostRow& row) { return row.setting.batch != 1; });
  const std::string others = fmt::format("{}", fmt::join(batches, ", "));
  if (costs.empty())
    throw DataError(fmt::format(
        "{}: column 'batch': {}; allowed: 1, because one sequence is predicted; measure that", path,
        others));
  notes.push_back(fmt::format("costs of batch {} are left out: one sequence is predicted", others));
  return costs;
}

/// Pairs that draft chains, in the order of the file.
std::vector<CostPair> chain_pairs(const std::vector<CostRow>& costs) {
  std::vector<CostPair> pairs;
  for (const CostRow& row : costs) {
    const auto pair = pair_of(row);
    if (row.kind == sim::CostKind::draft && pair && std::ranges::count(pairs, *pair) == 0)
      pairs.push_back(*pair);
  }
  return pairs;
}

std::string list_of(const std::vector<CostPair>& pairs) {
  std::vector<std::string> texts;
  for (const CostPair& pair : pairs) texts.push_back(pair.text());
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The pairs that the options leave, in the order of the file.
std::vector<CostPair> chosen_pairs(const std::string& path, const std::vector<CostRow>& costs,
                                   const PredictOptions& options) {
  const std::vector<CostPair> all = chain_pairs(costs);
  if (all.empty())
    throw DataError(
        path +
        ": no cost of kind draft for a chain; measure the costs of drafting, or give --cost-ratio");
  const auto regime = regime_asked_for(options);
  std::vector<CostPair> left;
  std::ranges::copy_if(all, std::back_inserter(left), [&](const CostPair& pair) {
    SettingFilter choice = options.choice;
    if (pair.setting.verifier.empty()) choice.verifier.reset();
    return choice.keeps(pair.setting) && (!regime || !pair.regime || pair.regime == regime);
  });
  if (left.empty())
    throw ConfigError(fmt::format(
        "--model, --drafter, --verifier and --temperature select no costs in {}; it has: {}", path,
        list_of(all)));
  return left;
}

using CostsByEnd = std::array<LengthCosts, 3>;

sim::RelativeCosts relative_costs(const CostsByEnd& costs, int length, const CostCorner& corner) {
  const auto at = [&costs](End end) -> const LengthCosts& {
    return costs[static_cast<std::size_t>(end)];
  };
  const auto index = static_cast<std::size_t>(length);
  const double plain_ns = at(corner.plain).plain_ns;
  return {.cost_ratio = at(corner.draft).draft_ns[index] / (length * plain_ns),
          .verify_cost_ratio = at(corner.verify).verify_ns[index] / plain_ns,
          .overhead_ratio = at(corner.overhead).overhead_ns[index] / plain_ns};
}

/// @throws ConfigError where forwards were not timed
int context_of(const PredictOptions& options, const PairSurface& surface) {
  const auto [low, high] = surface.contexts();
  if (options.context && (*options.context < low || *options.context > high))
    throw ConfigError(fmt::format("--context {}; allowed: {} to {}, which was measured",
                                  *options.context, low, high));
  return options.context.value_or(surface.middle_context());
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

CostInput measured_costs(const PredictOptions& options) {
  const std::string& path = *options.costs;
  std::vector<std::string> notes;
  const std::vector<CostRow> costs = of_one_sequence(path, analysis::read_costs(path), notes);
  const std::vector<CostPair> pairs = chosen_pairs(path, costs, options);
  const CostPair& pair = pairs[0];
  const PairSurface surface(path, costs, pair);
  const int context = context_of(options, surface);
  if (surface.longest() < 1)
    throw DataError(path + ": no target forward of 2 rows or more; a draft of one token needs it");
  const auto by_end = std::make_shared<const CostsByEnd>(
      CostsByEnd{surface.at(context, End::value), surface.at(context, End::low),
                 surface.at(context, End::high)});
  CostInput input{
      .at = [by_end](int length,
                     const CostCorner& corner) { return relative_costs(*by_end, length, corner); },
      .longest = surface.longest(),
      .has_interval = surface.has_interval(),
      .is_measured = true,
      .source = fmt::format("{}: {}, at context {}", escaped(path, 200), pair.text(), context),
      .notes = std::move(notes)};
  input.pair = {.model = pair.setting.model, .drafter = pair.setting.drafter};
  if (!pair.setting.verifier.empty()) input.pair.verifier = pair.setting.verifier;
  input.pair.regime = pair.regime;
  if (pairs.size() > 1)
    input.notes.push_back(
        fmt::format("costs are of {}; the file also has {}; --model, --drafter, --verifier and "
                    "--temperature choose",
                    pair.text(), list_of({pairs.begin() + 1, pairs.end()})));
  input.notes.push_back(fmt::format("lengths up to {} were measured", input.longest));
  return input;
}

}  // namespace speclab::experiments
