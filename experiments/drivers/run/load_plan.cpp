#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

engines::LoadedModel load_model(const LoadedPlan& plan, const std::string& name, int threads) {
  engines::ModelOptions options = plan.plan.config.target;
  options.model = name;
  if (threads > 0) options.threads = threads;
  engines::LoadedModel loaded = plan.engines.load_model(options);
  if (loaded.model->info().random_weights != is_shape_model(name))
    throw ConfigError(fmt::format(
        "target.model = {}: exactly the names that begin with shape- have random weights",
        escaped(name)));
  if (!loaded.tokenizer_problem.empty()) throw ModelFileError(loaded.tokenizer_problem);
  if (!is_shape_model(name) && !loaded.tokenizer)
    throw ConfigError(
        fmt::format("target.model = {} has no tokenizer, which prompts need", escaped(name)));
  return loaded;
}

void check_context(const LoadedPlan& loaded, const Prompt& prompt, std::size_t prompt_tokens) {
  const std::size_t needed =
      prompt_tokens + static_cast<std::size_t>(loaded.plan.config.prompts.new_tokens);
  for (const auto& [name, model] : loaded.models)
    if (needed > static_cast<std::size_t>(model.model->info().context_length))
      throw ConfigError(
          fmt::format("prompt {} has {} tokens, with prompts.new_tokens = {} it needs {}; {} has a "
                      "context of {}; lower new_tokens or choose other prompts",
                      prompt.id, prompt_tokens, loaded.plan.config.prompts.new_tokens, needed, name,
                      model.model->info().context_length));
}

std::vector<std::vector<Token>> tokenize(const LoadedPlan& loaded,
                                         const std::vector<Prompt>& prompts) {
  std::vector<std::vector<Token>> ids;
  for (const Prompt& prompt : prompts) {
    ids.push_back(
        chat_prompt_ids(loaded.tokenizer(), prompt.text, loaded.plan.config.chat_template));
  }
  return ids;
}

void check_contexts(const LoadedPlan& loaded) {
  for (std::size_t i = 0; i < loaded.prompt_ids.size(); ++i)
    check_context(loaded, loaded.plan.prompts[i], loaded.prompt_ids[i].size());
  for (std::size_t i = 0; i < loaded.pilot_ids.size(); ++i)
    check_context(loaded, loaded.plan.pilot_prompts[i], loaded.pilot_ids[i].size());
}

/// Makes each drafter once, so that a missing or unfitting one is noticed before anything is
/// written.
void check_drafters(const LoadedPlan& loaded) {
  for (const auto& [name, model] : loaded.models)
    for (const Drafting& drafting : loaded.plan.draftings)
      loaded.engines.make_decoder(*model.model, model.tokenizer, {.drafter = drafting.options});
}

/// A drafter drafts while its levels fit its context, and then nothing, without a word.
void check_drafter_context(const LoadedPlan& loaded, const std::string& drafter,
                           const engines::ModelInfo& info, int levels) {
  const auto check = [&](const Prompt& prompt, std::size_t prompt_tokens) {
    const std::size_t needed =
        prompt_tokens + static_cast<std::size_t>(loaded.plan.config.prompts.new_tokens + levels);
    if (needed <= static_cast<std::size_t>(info.context_length)) return;
    throw ConfigError(fmt::format(
        "prompt {} has {} tokens, with prompts.new_tokens = {} and {} drafts (axes.policy, "
        "pilot.max_length, the tree) it needs {}; drafter {} has a context of {} and would draft "
        "nothing behind it; lower them or choose other prompts",
        prompt.id, prompt_tokens, loaded.plan.config.prompts.new_tokens, levels, needed, drafter,
        info.context_length));
  };
  for (std::size_t i = 0; i < loaded.prompt_ids.size(); ++i)
    check(loaded.plan.prompts[i], loaded.prompt_ids[i].size());
  for (std::size_t i = 0; i < loaded.pilot_ids.size(); ++i)
    check(loaded.plan.pilot_prompts[i], loaded.pilot_ids[i].size());
}

/// Of the transformers, also where they are part of a mixture.
void check_drafter_contexts(const LoadedPlan& loaded) {
  for (const Drafting& drafting : loaded.plan.draftings) {
    std::vector<engines::DrafterOptions> transformers = drafting.options.parts;
    transformers.push_back(drafting.options);
    std::erase_if(transformers, [](const engines::DrafterOptions& options) {
      return !engines::is_among(options.kind, engines::kTransformerDrafterKinds);
    });
    for (const engines::DrafterOptions& options : transformers)
      check_drafter_context(loaded, drafting.drafter, loaded.engines.drafter_info(options).value(),
                            drafting.max_length(loaded.plan.max_length()));
  }
}

}  // namespace

LoadedPlan load_plan(const Plan& plan, engines::Engines& engines, int threads) {
  LoadedPlan loaded{
      .plan = plan, .engines = engines, .models = {}, .prompt_ids = {}, .pilot_ids = {}};
  for (const std::string& name : plan.config.models)
    loaded.models.emplace(name, load_model(loaded, name, threads));
  loaded.prompt_ids = tokenize(loaded, plan.prompts);
  loaded.pilot_ids = tokenize(loaded, plan.pilot_prompts);
  check_contexts(loaded);
  check_drafters(loaded);
  check_drafter_contexts(loaded);
  return loaded;
}

LoadedPlan tokenized_plan(const Plan& plan, engines::Engines& engines) {
  LoadedPlan loaded{
      .plan = plan, .engines = engines, .models = {}, .prompt_ids = {}, .pilot_ids = {}};
  loaded.models[plan.real_model()] = {nullptr, engines.load_tokenizer(plan.real_model())};
  loaded.prompt_ids = tokenize(loaded, plan.prompts);
  loaded.pilot_ids = tokenize(loaded, plan.pilot_prompts);
  return loaded;
}

}  // namespace speclab::experiments
