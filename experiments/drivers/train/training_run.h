#pragma once
// The part of a training that a config and the choice by minutes share.

#include <string>
#include <vector>

#include "experiments/drivers/config/train_config.h"

namespace speclab::experiments {

/// A training that was stopped left a checkpoint, from which it goes on.
/// @throws ConfigError if the folder holds a finished drafter or another model
void expect_no_drafter(const std::string& folder);

/// Names of files that a training leaves in its folder, finished or not.
std::vector<std::string> names_in_drafter_folder();

/// The config's prompts as ids, without those of more than `longest_prompt` tokens.
std::vector<std::vector<Token>> prompt_ids(const engines::Tokenizer& tokenizer,
                                           const TrainConfig& config);

/// Notes what makes the training in its options.
/// @param target_device  where its target's text is made; empty without a target
void note_provenance(const engines::Engines& engines, const std::string& target_device,
                     TrainConfig& config);

/// Makes the target's text and the drafter's folder.
/// @param target  with a tokenizer
/// @throws what Engines::train throws
void train_for_target(engines::Engines& engines, const engines::LoadedModel& target,
                      TrainConfig& config, const engines::TrainCallbacks& callbacks);

}  // namespace speclab::experiments
