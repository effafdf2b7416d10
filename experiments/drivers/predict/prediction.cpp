#include "experiments/drivers/predict/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/drivers/predict/input_origin.h"
#include "experiments/drivers/predict/length_model.h"
#include "experiments/drivers/predict/predicted_tree.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kSearched = 256;  ///< lengths that are tried where --max-length does not say
constexpr int kFewestShown = 8;
constexpr int kMostShown = 32;

/// @throws ConfigError naming what is allowed
int checked_length(const char* option, int value, int least, int longest) {
  if (value < least || value > longest)
    throw ConfigError(
        fmt::format("{} {}; allowed: integers from {} to {}", option, value, least, longest));
  return value;
}

/// --max-length as asked for; else all up to a little beyond the optimum; and the optimum and the
/// chosen length themselves.
std::vector<int> shown_lengths(const PredictOptions& options, int searched, int optimum) {
  const int last = options.max_length
                       ? searched
                       : std::min({searched, kMostShown, std::max(kFewestShown, optimum + 2)});
  std::vector<int> lengths;
  for (int length = 0; length <= last; ++length) lengths.push_back(length);
  std::set<int> beyond{optimum};
  if (options.speculation_length) beyond.insert(*options.speculation_length);
  lengths.insert(lengths.end(), beyond.upper_bound(last), beyond.end());
  return lengths;
}

template <typename Item>
void append(std::vector<Item>& to, const std::vector<Item>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The rounds of the costs' pair, or all of a trace that cannot tell its rounds apart; the options'
/// own choice where costs are given as ratios.
SettingFilter trace_filter(const PredictOptions& options, const CostInput& costs) {
  if (!options.chooses() && options.trace && !analysis::has_rows_beside(*options.trace)) return {};
  SettingFilter filter = costs.pair;
  if (!filter.model) filter.model = options.choice.model;
  if (!filter.drafter) filter.drafter = options.choice.drafter;
  if (!filter.verifier) filter.verifier = options.choice.verifier;
  if (options.temperature)
    filter.temperature =
        parse_number("--temperature", *options.temperature, {0.0, 1e3, "numbers from 0 to 1000"});
  return filter;
}

std::vector<std::string> notes_of(const PredictOptions& options, const AcceptanceInput& acceptance,
                                  const CostInput& costs, const SettingFilter& filter) {
  std::vector<std::string> notes = acceptance.notes;
  append(notes, costs.notes);
  if (options.trace && options.rank_acceptance)
    notes.push_back("the tree's acceptance by rank is as given; the trace tells only of chains");
  if (options.trace && filter.drafter)
    notes.push_back(
        "of the trace the rounds of the same model, drafter, verifier and regime are taken");
  if (!costs.is_textbook)
    notes.push_back(
        "closed forms below the table take v = 1, o = 0 and the cost of one drafted token; the "
        "table takes all costs, and decides whether a length pays");
  return notes;
}

/// @param length  that of --speculation-length, else the best
std::vector<Answer> answers_of(const PredictOptions& options, const AcceptanceInput& acceptance,
                               const CostInput& costs, int length) {
  std::vector<Answer> answers = chain_answers(options, {.acceptance_rate = acceptance.rate.value,
                                                        .cost_ratio = costs.at(1, {}).cost_ratio,
                                                        .speculation_length = length});
  append(answers, acceptance.answers);
  return answers;
}

/// Every length from 0 to the last.
std::vector<PredictedLength> curve_to(int last, const LengthModel& model) {
  std::vector<PredictedLength> curve;
  for (int length = 0; length <= last; ++length) curve.push_back(model.at(length));
  return curve;
}

}  // namespace

Prediction predict(const PredictOptions& options) {
  const CostInput costs = cost_input(options);
  const SettingFilter filter = trace_filter(options, costs);
  const AcceptanceInput acceptance = acceptance_input(options, filter);
  const int searched = options.max_length
                           ? checked_length("--max-length", *options.max_length, 1, costs.longest)
                           : std::min(kSearched, costs.longest);
  const LengthModel model(acceptance, costs, memory_options(options), searched);
  Prediction prediction{
      .acceptance_rate = acceptance.rate,
      .acceptance_source = acceptance.source,
      .cost_source = costs.source,
      .notes = notes_of(options, acceptance, costs, filter),
      .counts_draft_operations = memory_options(options).draft_operations_ratio > 0.0,
      .lengths = {},
      .optimum = model.optimum(),
      .trace_optimum = model.trace_optimum(),
      .trace_optimum_reach = std::min(
          searched, std::max(1, static_cast<int>(acceptance.tokens_by_position.size())) - 1),
      .chosen = {},
      .tree = {},
      .has_interval = model.has_interval()};
  if (options.speculation_length)
    prediction.chosen = model.at(
        checked_length("--speculation-length", *options.speculation_length, 0, costs.longest));
  for (const int length :
       shown_lengths(options, searched, prediction.optimum.at.speculation_length))
    prediction.lengths.push_back(model.at(length));
  if (options.plot) {
    prediction.origins = input_origins(options);
    prediction.curve = curve_to(prediction.lengths.back().speculation_length, model);
  }
  prediction.tree = predicted_tree(options, acceptance, costs);
  prediction.answers =
      answers_of(options, acceptance, costs,
                 options.speculation_length.value_or(prediction.optimum.at.speculation_length));
  return prediction;
}

}  // namespace speclab::experiments
