#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/measure/model_checks.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

engines::LoadedModel load_model(const LoadedPlan& plan, const Setting& setting, int threads) {
  engines::ModelOptions options = plan.plan.config.model_options(setting);
  if (threads > 0) options.threads = threads;
  engines::LoadedModel loaded = plan.engines.load_model(options);
  check_target(setting.model, loaded.model->info(), loaded.tokenizer.get(),
               loaded.tokenizer_problem);
  return loaded;
}

/// @throws ConfigError naming the prompt that the template refuses
std::vector<Token> ids_of_prompt(const engines::Tokenizer& tokenizer, const Prompt& prompt,
                                 const std::string& chat_template) try {
  return chat_prompt_ids(tokenizer, prompt.text, chat_template);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("prompt {}: {}", prompt.id, error.what()));
}

std::vector<std::vector<Token>> tokenize(const engines::Tokenizer& tokenizer,
                                         const std::vector<Prompt>& prompts,
                                         const std::string& chat_template) {
  std::vector<std::vector<Token>> ids;
  for (const Prompt& prompt : prompts)
    ids.push_back(ids_of_prompt(tokenizer, prompt, chat_template));
  return ids;
}

/// Every real model reads the prompts with its own tokenizer.
void tokenize_prompts(LoadedPlan& loaded) {
  const Plan& plan = loaded.plan;
  for (const Setting& setting : plan.loaded_models) {
    if (is_shape_model(setting.model) || loaded.texts.contains(setting.model)) continue;
    const engines::Tokenizer& tokenizer = *loaded.model_of(setting).tokenizer;
    loaded.texts[setting.model] = {
        .prompts = tokenize(tokenizer, plan.prompts, plan.config.chat_template),
        .pilots = tokenize(tokenizer, plan.pilot_prompts, plan.config.chat_template)};
  }
}

void check_contexts(const LoadedPlan& loaded) {
  for (const Setting& setting : loaded.plan.loaded_models)
    check_target_room(loaded, setting.model, loaded.model_of(setting).model->info().context_length);
}

/// Makes each drafter once, so that a missing or unfitting one is noticed before anything is
/// written.
void check_drafters(const LoadedPlan& loaded) {
  for (const Setting& model : loaded.plan.loaded_models)
    for (const Setting& setting : loaded.plan.draftings_of(model))
      loaded.engines.make_decoder(*loaded.model_of(model).model, loaded.model_of(model).tokenizer,
                                  {.drafter = loaded.plan.drafter_options(setting)});
}

void check_drafter_contexts(const LoadedPlan& loaded) {
  for (const Setting& model : loaded.plan.loaded_models)
    for (const Setting& setting : loaded.plan.draftings_of(model))
      for (const engines::DrafterOptions& options :
           transformers_of(loaded.plan.drafter_options(setting)))
        check_drafter_room(
            loaded, model.model,
            {.drafter = setting.drafter,
             .context_length = loaded.engines.drafter_info(options).value().context_length,
             .levels = max_length(setting, loaded.plan.max_length())});
}

}  // namespace

const engines::Tokenizer& LoadedPlan::tokenizer_of(const std::string& model) const {
  const std::vector<Setting> loaded = plan.loaded_models;
  const auto real = std::ranges::find(loaded, plan.real_model_of(model), &Setting::model);
  SPECLAB_EXPECT(real != loaded.end(), "a model of the plan: " + model);
  return *model_of(*real).tokenizer;
}

LoadedPlan load_plan(const Plan& plan, engines::Engines& engines, int threads) {
  LoadedPlan loaded{.plan = plan, .engines = engines, .models = {}, .texts = {}};
  for (const Setting& setting : plan.loaded_models)
    loaded.models.emplace(setting.loaded_model(), load_model(loaded, setting, threads));
  tokenize_prompts(loaded);
  check_contexts(loaded);
  check_drafters(loaded);
  check_drafter_contexts(loaded);
  return loaded;
}

LoadedPlan tokenized_plan(const Plan& plan, engines::Engines& engines) {
  LoadedPlan loaded{.plan = plan, .engines = engines, .models = {}, .texts = {}};
  for (const Setting& setting : plan.loaded_models)
    if (!is_shape_model(setting.model))
      loaded.models[setting.loaded_model()] = {
          nullptr, engines.load_tokenizer(plan.config.file_of(setting.model))};
  tokenize_prompts(loaded);
  return loaded;
}

}  // namespace speclab::experiments
