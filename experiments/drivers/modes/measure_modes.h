#pragma once
// Ways of decoding that take turns, prompt by prompt.

#include <functional>
#include <string>
#include <vector>

#include "analysis/tables/modes.h"
#include "experiments/drivers/modes/decoding_case.h"

namespace speclab::experiments {

struct ModePrompt {
  std::string id;
  engines::Request request;
};

struct ModeTable {
  CaseSettings settings;
  std::vector<DecodingCase> cases;
  std::vector<ModePrompt> prompts;
  std::vector<engines::Request> pilots;  ///< fit the predictions and are never measured
};

/// Every case decodes every prompt; no case is always the first. A case's predicted time is
/// that of its pilots' steps, each at the time of a bare forward of as many rows, and of their
/// drafting.
/// @param say  gets a line before each part
std::vector<analysis::ModeRow> measure_modes(engines::Engines& engines,
                                             engines::LoadedModel& loaded, const ModeTable& table,
                                             const std::function<void(const std::string&)>& say);

}  // namespace speclab::experiments
