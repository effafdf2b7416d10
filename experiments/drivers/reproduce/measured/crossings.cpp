#include "experiments/drivers/reproduce/measured/crossings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Generation;

/// The value of a key of the config, without its quotes.
std::string config_text(const analysis::Manifest& manifest, const std::string& key) {
  const auto found =
      std::ranges::find(manifest.config, key, &std::pair<std::string, std::string>::first);
  if (found == manifest.config.end())
    throw DataError("the sweep has no key " + escaped(key, 80) +
                    "; measure it with the config in experiments/configs/papers");
  std::string text = found->second;
  std::erase(text, '"');
  return text;
}

double rounds(const Generation& generation) { return static_cast<double>(generation.rounds); }
double decode_ns(const Generation& generation) { return static_cast<double>(generation.decode_ns); }
double tokens(const Generation& generation) {
  return static_cast<double>(generation.output_tokens);
}

/// A number of a generation's bridge.
analysis::Quantity of_bridge(const MeasuredRun& run, std::int64_t BridgeUse::* field) {
  return [&run, field](const Generation& generation) {
    return static_cast<double>(run.bridge_of(generation).*field);
  };
}

}  // namespace

std::string Crossing::setting() const {
  return fmt::format("{};bridge={};temperature={}", pair(), bridge, temperature());
}

std::vector<Crossing> crossings_of(const MeasuredRun& run) {
  std::vector<Crossing> crossings;
  for (const analysis::Group& group : run.pooled()) {
    if (group.axes.is_plain()) continue;
    const BridgeUse& use = run.bridge_of(*group.generations.front());
    crossings.push_back(
        {.group = &group,
         .drafter = config_text(run.manifest(), "drafters." + group.axes.drafter + ".model"),
         .bridge = use.bridge,
         .overlap = use.overlap});
  }
  if (crossings.empty())
    throw DataError(
        "the sweep has no drafters; measure it with the config in experiments/configs/papers");
  return crossings;
}

Comparison other_texts(const Crossing& crossing) {
  return {.setting = crossing.setting(),
          .quantity = "texts_other_than_plain",
          .ours = static_cast<double>(crossing.group->summary.other_texts),
          .prompts = static_cast<int>(crossing.group->summary.n_prompts),
          .note = fmt::format("of {} texts", crossing.group->summary.n_rows)};
}

analysis::Estimate draft_tokens_per_round(const MeasuredRun& run, const Crossing& crossing) {
  return run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::draft_tokens), rounds);
}

analysis::Estimate spelling_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::spelling_ns), decode_ns), 0,
      1);
}

analysis::Estimate unshared_share(const MeasuredRun& run, const Crossing& crossing) {
  return analysis::within(
      run.ratio(crossing.group->generations, of_bridge(run, &BridgeUse::unshared_outputs), tokens),
      0, 1);
}

}  // namespace speclab::experiments
