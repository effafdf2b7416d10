#include "experiments/drivers/measure/model_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <set>

#include "engines/interface/drafter_checks.h"
#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using PromptCheck = std::function<void(const Prompt& prompt, std::size_t tokens)>;

/// Calls it for every prompt and pilot that a model reads.
void check_prompts(const LoadedPlan& loaded, const std::string& model, const PromptCheck& check) {
  const TokenizedPrompts& texts = loaded.texts_of(model);
  for (std::size_t i = 0; i < texts.prompts.size(); ++i)
    check(loaded.plan.prompts[i], texts.prompts[i].size());
  for (std::size_t i = 0; i < texts.pilots.size(); ++i)
    check(loaded.plan.pilot_prompts[i], texts.pilots[i].size());
}

using engines::DrafterOptions;
using engines::InspectedModel;

/// The drafters of a setting: a mixture's parts, else its own.
std::vector<DrafterOptions> parts_of(const Plan& plan, const Setting& setting) {
  const DrafterOptions options = plan.drafter_options(setting);
  return options.parts.empty() ? std::vector{options} : options.parts;
}

void check_fetched(const Plan& plan, const engines::Engines& engines) {
  std::set<std::string> used, missing;
  for (const std::string& model : plan.config.axes.model) used.insert(plan.config.file_of(model));
  for (const Setting& drafting : plan.draftings)
    for (const DrafterOptions& part : parts_of(plan, drafting)) used.insert(part.model);
  for (const engines::KnownModel& known : engines.known_models())
    if (used.contains(known.name) && !known.fetched_by.empty())
      missing.insert(fmt::format("{} (run {})", known.name, known.fetched_by));
  if (!missing.empty())
    throw ConfigError(fmt::format("models that are not here: {}", fmt::join(missing, ", ")));
}

/// Inspects the models of a plan and compares each drafter with its target.
class ModelChecks {
 public:
  ModelChecks(const Plan& plan, engines::Engines& engines)
      : plan_(plan), engines_(engines), loaded_(tokenized_plan(plan, engines)) {}

  void check(const std::string& name) {
    InspectedModel target = inspected(plan_.config.file_of(name));
    target.info.name = name;
    check_target(name, target.info, target.tokenizer.get(), target.tokenizer_problem);
    check_target_room(loaded_, name, target.info.context_length);
    for (const Setting& setting : settings_of(name))
      for (const DrafterOptions& part : parts_of(plan_, setting))
        if (part.traits().reads_model()) check_drafter(setting, target, part);
  }

 private:
  /// Each drafting, whatever the weights are.
  std::vector<Setting> settings_of(const std::string& name) const {
    std::vector<Setting> settings;
    for (const Setting& loaded : plan_.loaded_models)
      if (loaded.model == name && settings.empty()) settings = plan_.draftings_of(loaded);
    return settings;
  }

  /// The device may be another machine's.
  InspectedModel inspected(const std::string& model) {
    engines::ModelOptions options = plan_.config.target;
    options.model = model;
    options.device = "cpu";
    options.rounds = "host";
    return engines_.inspect_model(options);
  }

  /// Only a small transformer can be large. The others are read as a run reads them.
  InspectedModel drafter_model(const DrafterOptions& drafter) {
    if (drafter.traits().reads_language_model() && !drafter.model.empty())
      return inspected(drafter.model);
    return {engines_.drafter_info(drafter).value(), nullptr};
  }

  void check_drafter(const Setting& setting, const InspectedModel& target,
                     const DrafterOptions& part) {
    const InspectedModel drafter = drafter_model(part);
    const bool has_texts = drafter.tokenizer && target.tokenizer;
    const bool may_cross =
        part.traits().reads_language_model() && plan_.drafter_options(setting).parts.empty();
    if (has_texts && !may_cross)
      engines::check_same_vocabulary({*drafter.tokenizer, part.model},
                                     {*target.tokenizer, target.info.name});
    if (!has_texts || !drafter.info.draft_vocabulary.empty())
      engines::check_base_model(setting.drafter, drafter.info, target.info);
    if (part.traits().reads_transformer())
      check_drafter_room(loaded_, setting.model,
                         {.drafter = setting.drafter,
                          .context_length = drafter.info.context_length,
                          .levels = max_length(setting, plan_.max_length())});
  }

  const Plan& plan_;
  engines::Engines& engines_;
  LoadedPlan loaded_;
};

}  // namespace

void check_target_room(const LoadedPlan& loaded, const std::string& target,
                       std::int32_t context_length) {
  const std::int32_t new_tokens = loaded.plan.config.prompts.new_tokens;
  check_prompts(loaded, target, [&](const Prompt& prompt, std::size_t tokens) {
    const std::size_t needed = tokens + static_cast<std::size_t>(new_tokens);
    if (needed > static_cast<std::size_t>(context_length))
      throw ConfigError(fmt::format(
          "prompt {} has {} tokens, with prompts.new_tokens = {} it needs {}; {} has a context "
          "of {}; lower new_tokens or choose other prompts",
          prompt.id, tokens, new_tokens, needed, target, context_length));
  });
}

void check_drafter_room(const LoadedPlan& loaded, const std::string& target,
                        const DraftRoom& room) {
  const std::int32_t new_tokens = loaded.plan.config.prompts.new_tokens;
  check_prompts(loaded, target, [&](const Prompt& prompt, std::size_t tokens) {
    const std::size_t needed = tokens + static_cast<std::size_t>(new_tokens + room.levels);
    if (needed <= static_cast<std::size_t>(room.context_length)) return;
    throw ConfigError(fmt::format(
        "prompt {} has {} tokens, with prompts.new_tokens = {} and {} drafts (axes.policy, "
        "pilot.max_length, the tree) it needs {}; drafter {} has a context of {} and would draft "
        "nothing behind it; lower them or choose other prompts",
        prompt.id, tokens, new_tokens, room.levels, needed, room.drafter, room.context_length));
  });
}

std::vector<engines::DrafterOptions> transformers_of(const engines::DrafterOptions& drafter) {
  std::vector<engines::DrafterOptions> transformers = drafter.parts;
  transformers.push_back(drafter);
  std::erase_if(transformers, [](const engines::DrafterOptions& options) {
    return !options.traits().reads_transformer();
  });
  return transformers;
}

void check_target(const std::string& name, const engines::ModelInfo& info,
                  const engines::Tokenizer* tokenizer, const std::string& tokenizer_problem) {
  if (info.random_weights != is_shape_model(name))
    throw ConfigError(fmt::format(
        "target.model = {}: exactly the names that begin with shape- have random weights",
        escaped(name)));
  if (!tokenizer_problem.empty()) throw ModelFileError(tokenizer_problem);
  if (!is_shape_model(name) && !tokenizer)
    throw ConfigError(
        fmt::format("target.model = {} has no tokenizer, which prompts need", escaped(name)));
}

void check_models(const Plan& plan, engines::Engines& engines) {
  check_fetched(plan, engines);
  ModelChecks checks(plan, engines);
  for (const std::string& name : plan.config.axes.model) checks.check(name);
}

}  // namespace speclab::experiments
