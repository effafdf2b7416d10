#pragma once
// The axis `generation`: settings whose decoding GenerationConfig decides, as `speclab generate`
// has it.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// The decoding of such a setting. Temperature, sampling settings, lengths and seed are those of
/// the config; a model's folder says nothing.
/// @param setting  with a generation; a policy where its drafter drafts in a search
/// @throws ConfigError for keys that GenerationConfig refuses, that the config has elsewhere, or
/// that contradict the setting
GenerationPlan generation_of(const RunConfig& config, const Setting& setting);

/// Whether a search makes the texts of a setting, and not rounds. @throws as generation_of
bool is_searched(const RunConfig& config, const Setting& setting);

/// Texts that a step of a search follows: its beams, or its candidates; 1 of rounds.
/// @throws as generation_of
int texts_of_step(const RunConfig& config, const Setting& setting);

/// Cells that generation_of decodes in different ways, the first of each, by their generation.
std::map<std::string, std::vector<Setting>> ways_of_decoding(const RunConfig& config);

/// Refuses generations and batches that some cell cannot have.
void check_ways_of_decoding(const RunTables& tables, const RunConfig& config);

}  // namespace speclab::experiments
