#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engines/interface/names.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

engines::LoadedModel load_model(const LoadedPlan& plan, const std::string& name, int threads) {
  engines::ModelOptions options = plan.plan.config.target;
  options.model = plan.plan.config.file_of(name);
  options.name = name;
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

std::vector<std::vector<Token>> tokenize(const engines::Tokenizer& tokenizer,
                                         const std::vector<Prompt>& prompts,
                                         const std::string& chat_template) {
  std::vector<std::vector<Token>> ids;
  for (const Prompt& prompt : prompts)
    ids.push_back(chat_prompt_ids(tokenizer, prompt.text, chat_template));
  return ids;
}

/// Every real model reads the prompts with its own tokenizer.
void tokenize_prompts(LoadedPlan& loaded) {
  const Plan& plan = loaded.plan;
  for (const auto& [name, model] : loaded.models)
    if (!is_shape_model(name))
      loaded.texts[name] = {
          .prompts = tokenize(*model.tokenizer, plan.prompts, plan.config.chat_template),
          .pilots = tokenize(*model.tokenizer, plan.pilot_prompts, plan.config.chat_template)};
}

using PromptCheck = std::function<void(const Prompt& prompt, std::size_t tokens)>;

/// Calls it for every prompt and pilot that a model reads.
void check_prompts(const LoadedPlan& loaded, const std::string& model, const PromptCheck& check) {
  const TokenizedPrompts& texts = loaded.texts_of(model);
  for (std::size_t i = 0; i < texts.prompts.size(); ++i)
    check(loaded.plan.prompts[i], texts.prompts[i].size());
  for (std::size_t i = 0; i < texts.pilots.size(); ++i)
    check(loaded.plan.pilot_prompts[i], texts.pilots[i].size());
}

void check_contexts(const LoadedPlan& loaded) {
  const std::int32_t new_tokens = loaded.plan.config.prompts.new_tokens;
  for (const auto& [name, model] : loaded.models) {
    const int context = model.model->info().context_length;
    check_prompts(loaded, name, [&](const Prompt& prompt, std::size_t tokens) {
      const std::size_t needed = tokens + static_cast<std::size_t>(new_tokens);
      if (needed > static_cast<std::size_t>(context))
        throw ConfigError(fmt::format(
            "prompt {} has {} tokens, with prompts.new_tokens = {} it needs {}; {} has a context "
            "of {}; lower new_tokens or choose other prompts",
            prompt.id, tokens, new_tokens, needed, name, context));
    });
  }
}

/// Makes each drafter once, so that a missing or unfitting one is noticed before anything is
/// written.
void check_drafters(const LoadedPlan& loaded) {
  for (const auto& [name, model] : loaded.models)
    for (const Drafting& drafting : loaded.plan.draftings_of(name))
      loaded.engines.make_decoder(*model.model, model.tokenizer, {.drafter = drafting.options});
}

/// A drafter drafts while its levels fit its context, and then nothing, without a word.
void check_drafter_context(const LoadedPlan& loaded, const std::string& target,
                           const std::string& drafter, const engines::ModelInfo& info, int levels) {
  check_prompts(loaded, target, [&](const Prompt& prompt, std::size_t prompt_tokens) {
    const std::size_t needed =
        prompt_tokens + static_cast<std::size_t>(loaded.plan.config.prompts.new_tokens + levels);
    if (needed <= static_cast<std::size_t>(info.context_length)) return;
    throw ConfigError(fmt::format(
        "prompt {} has {} tokens, with prompts.new_tokens = {} and {} drafts (axes.policy, "
        "pilot.max_length, the tree) it needs {}; drafter {} has a context of {} and would draft "
        "nothing behind it; lower them or choose other prompts",
        prompt.id, prompt_tokens, loaded.plan.config.prompts.new_tokens, levels, needed, drafter,
        info.context_length));
  });
}

/// A mixture's are among its parts.
std::vector<engines::DrafterOptions> transformers_of(const Drafting& drafting) {
  std::vector<engines::DrafterOptions> transformers = drafting.options.parts;
  transformers.push_back(drafting.options);
  std::erase_if(transformers, [](const engines::DrafterOptions& options) {
    return !engines::is_among(options.kind, engines::kTransformerDrafterKinds);
  });
  return transformers;
}

void check_drafter_contexts(const LoadedPlan& loaded) {
  for (const std::string& model : loaded.plan.config.models)
    for (const Drafting& drafting : loaded.plan.draftings_of(model))
      for (const engines::DrafterOptions& options : transformers_of(drafting))
        check_drafter_context(loaded, model, drafting.drafter,
                              loaded.engines.drafter_info(options).value(),
                              drafting.max_length(loaded.plan.max_length()));
}

}  // namespace

LoadedPlan load_plan(const Plan& plan, engines::Engines& engines, int threads) {
  LoadedPlan loaded{.plan = plan, .engines = engines, .models = {}, .texts = {}};
  for (const std::string& name : plan.config.models)
    loaded.models.emplace(name, load_model(loaded, name, threads));
  tokenize_prompts(loaded);
  check_contexts(loaded);
  check_drafters(loaded);
  check_drafter_contexts(loaded);
  return loaded;
}

LoadedPlan tokenized_plan(const Plan& plan, engines::Engines& engines) {
  LoadedPlan loaded{.plan = plan, .engines = engines, .models = {}, .texts = {}};
  for (const std::string& name : plan.config.models)
    if (!is_shape_model(name))
      loaded.models[name] = {nullptr, engines.load_tokenizer(plan.config.file_of(name))};
  tokenize_prompts(loaded);
  return loaded;
}

}  // namespace speclab::experiments
