#include "experiments/drivers/measure/prompt_room.h"

#include <fmt/format.h>

#include <functional>

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

}  // namespace speclab::experiments
