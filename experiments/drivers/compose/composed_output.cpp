#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "experiments/drivers/compose/composed_speedups.h"
#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

std::string shown(const analysis::Estimate& value) {
  return value.interval
             ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", value.value, value.low(), value.high())
             : fmt::format("{:.2f}", value.value);
}

}  // namespace

std::string composition_text(const Composition& composition) {
  std::string text = fmt::format(
      "composed speed-ups of {} with the policy {}: texts of {} tokens after {} tokens of prompt\n",
      composition.model, composition.policy, composition.new_tokens, composition.prompt_tokens);
  for (const std::string& source : composition.sources) text += source + "\n";
  TextTable table(
      {"drafter", "temperature", "composed speed-up", "tokens/round", "rounds that draft"});
  for (const analysis::ComposedSpeedupRow& at : composition.speedups)
    table.add_row({at.drafter, fmt::format("{}", at.temperature), shown(at.composed_speedup),
                   fmt::format("{:.2f}", at.tokens_per_round),
                   fmt::format("{:.0f} %", 100 * at.drafting_fraction)});
  return text + "\n" + table.text() +
         "\nComposed: costs and counts were measured apart. In brackets: 95 % intervals over "
         "groups of texts.\nThe costs' own intervals are not in them: a pace that is common to all "
         "costs changes no ratio,\nand the file does not tell the rest apart.\n";
}

std::string composition_json(const Composition& composition) {
  using nlohmann::ordered_json;
  ordered_json object{{"is_composed", true},
                      {"model", composition.model},
                      {"policy", composition.policy},
                      {"prompt_tokens", composition.prompt_tokens},
                      {"new_tokens", composition.new_tokens},
                      {"sources", composition.sources},
                      {"speedups", ordered_json::array()}};
  for (const analysis::ComposedSpeedupRow& at : composition.speedups) {
    ordered_json one{{"drafter", at.drafter},
                     {"temperature", at.temperature},
                     {"composed_speedup", at.composed_speedup.value}};
    if (at.composed_speedup.interval) {
      one["composed_speedup_low"] = at.composed_speedup.low();
      one["composed_speedup_high"] = at.composed_speedup.high();
    }
    one["tokens_per_round"] = at.tokens_per_round;
    one["drafting_fraction"] = at.drafting_fraction;
    object["speedups"].push_back(std::move(one));
  }
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string composition_csv(const Composition& composition) {
  return analysis::composed_speedups_table().csv(composition.speedups);
}

}  // namespace speclab::experiments
