#pragma once
// Ways of decoding that take turns, prompt by prompt.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/tables/modes.h"
#include "engines/interface/engines.h"
#include "experiments/drivers/generate/generation_plan.h"

namespace speclab::experiments {

/// One way of decoding, as GenerationConfig and a drafter say it, and one text made so.
struct DecodingCase {
  std::string name;
  std::string keys{};  ///< of GenerationConfig: "num_beams=5;do_sample=true"
  engines::DrafterOptions drafter{.kind = "plain"};
  int draft_length = 0;  ///< of the drafter
};

/// Settings of all cases of a table.
struct CaseSettings {
  std::string model;  ///< of the catalogue
  int new_tokens = 48;
  std::uint64_t seed = 1;
};

/// A prompt decoded by one case to its full length.
struct CaseDecoding {
  std::string mode;                       ///< as generate() names it
  std::vector<std::vector<Token>> texts;  ///< new tokens, best first
  std::int64_t tokens = 0;                ///< of the best text
  std::int64_t steps = 0, rows = 0;       ///< forwards behind the prompt, and their rows
  std::int64_t drafted = 0, accepted = 0;
  double seconds = 0;        ///< behind the prompt
  double draft_seconds = 0;  ///< of them the drafter's
};

/// The case for a prompt of that many tokens. @throws ConfigError for keys that GenerationConfig
/// refuses
GenerationPlan case_plan(const DecodingCase& decoding_case, const CaseSettings& settings,
                         std::size_t prompt_length);

/// @throws ConfigError as case_plan
CaseDecoding decode_case(engines::Engines& engines, engines::LoadedModel& loaded,
                         const DecodingCase& decoding_case, const CaseSettings& settings,
                         const engines::Request& request);

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
