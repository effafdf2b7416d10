#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "engines/interface/sequence_search.h"
#include "experiments/drivers/generate/generation_mode.h"

namespace speclab::experiments {

/// Settings of the command line that are no keys of GenerationConfig, beside those that are.
struct PlanSettings {
  engines::DecoderOptions decoder{};  ///< drafter, verifier, ignore_eos
  std::string policy{};
  std::uint64_t seed = 0;
};

/// Settings as the engines take them.
struct GenerationPlan {
  GenerationMode mode{};
  engines::SearchOptions decoding{};         ///< rounds read its base, searches all of it
  std::string policy{};                      ///< of the speculation length
  std::optional<std::int32_t> max_length{};  ///< of the whole text, in place of max_new_tokens
  std::int32_t num_return_sequences = 1;
  std::vector<Token> folder_ends{};  ///< eos_token_id of the folder, which its tokenizer reads too

  /// True if run_search makes the texts.
  bool needs_search() const { return mode.searches() || num_return_sequences > 1; }
};

/// The assistant that --drafter names.
/// @throws ConfigError if it contradicts prompt_lookup_num_tokens
Assistant assistant_of(const GenerationConfig& config, const GenerationOptions& options,
                       const engines::DrafterOptions& drafter);

/// @throws ConfigError for a mode that is not built, for values that a running mode refuses, and
/// for a drafter, policy or verifier that it does not take
GenerationPlan generation_plan(const GenerationConfig& config, const GenerationMode& mode,
                               const GenerationOptions& options, const PlanSettings& settings);

/// For a model without a tokenizer, which alone would know the folder's ends.
void use_folder_ends(GenerationPlan& plan);

/// Fills in the lengths that depend on the prompt.
/// @throws ConfigError if the prompt leaves no room below max_length
void set_prompt_length(GenerationPlan& plan, std::size_t prompt_length);

}  // namespace speclab::experiments
