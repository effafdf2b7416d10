#include "experiments/drivers/config/generation_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/named_drafters.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using KeyTexts = std::map<std::string, std::string>;

/// Keys that the config has elsewhere.
constexpr std::array kKeysOfConfig{"temperature", "max_new_tokens", "max_length", "max_time",
                                   "prompt_lookup_num_tokens"};

/// @throws ConfigError unless the text is KEY=VALUE;KEY=VALUE with keys that are free
KeyTexts key_texts(const std::string& generation) {
  KeyTexts texts;
  std::istringstream stream(generation);
  for (std::string entry; std::getline(stream, entry, ';');) {
    const std::size_t equals = entry.find('=');
    const std::string key = entry.substr(0, equals);
    if (equals == std::string::npos || find_generation_key(key) == nullptr)
      throw ConfigError(fmt::format("'{}'; allowed: KEY=VALUE with a key of GenerationConfig{}",
                                    escaped(entry, 60), nearest_key_hint(key)));
    if (std::ranges::find(kKeysOfConfig, key) != kKeysOfConfig.end())
      throw ConfigError(fmt::format(
          "{}; allowed: keys that the config does not have elsewhere, as it has axes.temperature, "
          "prompts.new_tokens and axes.drafter",
          escaped(entry, 60)));
    if (!texts.emplace(key, entry.substr(equals + 1)).second)
      throw ConfigError(fmt::format("{} twice; allowed: each key once", key));
  }
  return texts;
}

/// The config's own settings, as if they stood on a command line.
void add_settings(const RunConfig& config, const Setting& setting, KeyTexts& texts) {
  engines::visit_sampling_that_is_on(config.sampling, [&](const char* name, const auto& value) {
    if (!texts.emplace(name, fmt::format("{}", value)).second)
      throw ConfigError(fmt::format("{} stands in [sampling] too; allowed: one of them", name));
  });
  if (setting.temperature == 0 && texts.contains("do_sample") && texts["do_sample"] != "false")
    throw ConfigError(
        fmt::format("do_sample={} at temperature 0, which draws nothing; allowed: "
                    "another temperature, or no do_sample",
                    escaped(texts["do_sample"], 40)));
  texts["temperature"] = fmt::format("{}", setting.temperature);
  texts["max_new_tokens"] = std::to_string(config.prompts.new_tokens);
}

engines::DrafterOptions drafter_of(const RunConfig& config, const Setting& setting) {
  if (setting.is_plain()) return {.kind = "plain"};
  for (const NamedDrafter& drafter : all_drafters(config)) {
    if (drafter.name != setting.drafter) continue;
    engines::DrafterOptions options = drafter.options;
    options.tree = setting.tree.empty() ? "chain" : setting.tree;
    return options;
  }
  throw_contract_error("a drafter of the config", __FILE__, __LINE__, setting.drafter);
}

/// The decoding of the keys without drafts, at a temperature that they allow.
GenerationPlan plain_generation(const RunConfig& config, const Setting& setting) {
  Setting plain = setting.plain();
  const KeyTexts texts = key_texts(setting.generation);
  const auto draws = texts.find("do_sample");
  if (plain.temperature == 0 && draws != texts.end() && draws->second != "false")
    plain.temperature = 1;
  return generation_of(config, plain);
}

/// Empty if every text may be decoded beside others.
std::string reason_against_batches(const RunConfig& config) {
  const bool has_generations = std::ranges::any_of(
      config.axes.generation, [](const std::string& generation) { return !generation.empty(); });
  if (has_generations) return "axes.generation makes texts one by one";
  if (config.has_device_rounds()) return "target.rounds is device";
  return experiment_kind(config.kind).looks_at_drafts()
             ? fmt::format("the kind {} drafts in one text at a time", config.kind)
             : "";
}

/// Empty if GenerationConfig may decide how texts are made.
std::string reason_against_generations(const RunConfig& config) {
  if (experiment_kind(config.kind).looks_at_drafts())
    return fmt::format("the kind {} drafts in rounds", config.kind);
  if (config.has_device_rounds()) return "target.rounds is device";
  return std::ranges::any_of(config.axes.model, is_shape_model)
             ? "the texts of shape models mean nothing"
             : "";
}

/// The axes that generation_of reads.
Setting decoding_of(Setting point) {
  point.model = point.weights = point.activations = "";
  point.batch = 1;
  return point;
}

/// Refuses a generation for the first cell that cannot have it.
void check_generation(const RunConfig& config, const std::vector<Setting>& ways, std::size_t i,
                      const ConfigReader& reader) {
  if (config.axes.generation[i].empty()) {
    if (reader.has("generation"))
      reader.refuse_element("generation", i, "KEY=VALUE, as in num_beams=1");
    return;
  }
  if (const std::string reason = reason_against_generations(config); !reason.empty())
    return reader.refuse_element("generation", i, "nothing, because " + reason);
  for (const Setting& way : ways) try {
      generation_of(config, way);
    } catch (const ConfigError& error) {
      return reader.add("generation", i, error.what());
    }
}

}  // namespace

GenerationPlan generation_of(const RunConfig& config, const Setting& setting) {
  KeyTexts texts = key_texts(setting.generation);
  add_settings(config, setting, texts);
  engines::DecoderOptions decoder{.stop = {.ignore_eos = config.prompts.ignore_eos},
                                  .drafter = drafter_of(config, setting),
                                  .lossy = config.lossy,
                                  .seed = config.seed};
  if (!setting.is_plain()) decoder.verifier = setting.verifier;
  GenerationPlan plan =
      generation_plan_of(texts, decoder, setting.is_plain() ? "none" : setting.policy);
  if (plan.needs_search() && !plan.mode.searches())
    throw ConfigError(fmt::format(
        "num_return_sequences = {} without beams; allowed: 1, or axes.batch for several texts",
        plan.num_return_sequences));
  return plan;
}

bool is_searched(const RunConfig& config, const Setting& setting) {
  return !setting.generation.empty() && plain_generation(config, setting).needs_search();
}

int texts_of_step(const RunConfig& config, const Setting& setting) {
  if (!is_searched(config, setting)) return 1;
  const GenerationPlan plan = plain_generation(config, setting);
  const engines::SearchOptions& search = plan.decoding.search.value();
  return plan.mode.keeps_beams() ? search.num_beams : search.top_k;
}

std::map<std::string, std::vector<Setting>> ways_of_decoding(const RunConfig& config) {
  const Sweep sweep(config);
  std::map<std::string, std::vector<Setting>> ways;
  std::set<Setting> known;
  for (const Setting& point : sweep.product())
    if (!point.generation.empty() && sweep.holds(point) && known.insert(decoding_of(point)).second)
      ways[point.generation].push_back(point);
  return ways;
}

void check_ways_of_decoding(const RunTables& tables, const RunConfig& config) {
  const ConfigReader reader = tables.reader("axes");
  auto ways = ways_of_decoding(config);
  for (std::size_t i = 0; i < config.axes.generation.size(); ++i)
    check_generation(config, ways[config.axes.generation[i]], i, reader);
  for (std::size_t i = 0; i < config.axes.batch.size(); ++i)
    if (const std::string reason = reason_against_batches(config);
        config.axes.batch[i] > 1 && !reason.empty())
      reader.refuse_element("batch", i, "1, because " + reason);
}

}  // namespace speclab::experiments
