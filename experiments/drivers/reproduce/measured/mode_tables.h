#pragma once
// Common parts of the tables over ways of decoding.

#include <functional>
#include <string>
#include <vector>

#include "experiments/drivers/modes/measure_modes.h"
#include "experiments/drivers/papers/papers.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// A way of decoding, and the prompt that a guide shows it with.
struct GuideCase {
  DecodingCase decoding;
  std::string prompt;
};
/// The rows of hf_generation_modes.csv. @throws DataError
std::vector<GuideCase> guide_cases(const Papers& papers);

inline constexpr const char* kModesModel = "smollm2-135m";

/// FOLDER/modes.csv.
std::string modes_file(const std::string& folder);

/// Measures into the folder, unless rows of this program are there.
/// @throws Error(drift) if rows of another program are there; ConfigError if the model is not
void measure_modes_once(const std::string& folder,
                        const std::function<ModeTable(const engines::LoadedModel&)>& table_of);

/// Prompts of a set as requests. @param chat_template  one of kChatTemplates
std::vector<ModePrompt> mode_prompts(const engines::LoadedModel& loaded,
                                     const PromptSelection& selection,
                                     const std::string& chat_template);
std::vector<engines::Request> requests_of(const std::vector<ModePrompt>& prompts);

/// "smollm2-135m, 7 prompts on MACHINE".
std::string description_of(const std::vector<analysis::ModeRow>& rows);

}  // namespace speclab::experiments
