#pragma once
// Contexts that must hold prompts, the text behind them and its drafts.

#include <vector>

#include "experiments/drivers/measure/workbench.h"

namespace speclab::experiments {

/// @param context_length  of the target, tokens
/// @throws ConfigError naming the first prompt or pilot that has no room for its text
void check_target_room(const LoadedPlan& loaded, const std::string& target,
                       std::int32_t context_length);

/// A drafter of a target.
struct DraftRoom {
  std::string drafter;
  std::int32_t context_length = 0;  ///< tokens
  int levels = 0;                   ///< of its longest draft
};

/// A drafter drafts while its levels fit its context, and then nothing, without a word.
/// @throws ConfigError naming the first prompt or pilot where that would come
void check_drafter_room(const LoadedPlan& loaded, const std::string& target, const DraftRoom& room);

/// A drafter and its parts, as far as they read a transformer.
std::vector<engines::DrafterOptions> transformers_of(const engines::DrafterOptions& drafter);

}  // namespace speclab::experiments
