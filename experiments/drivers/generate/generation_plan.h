#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/generation_mode.h"

namespace speclab::experiments {

/// The GenerationConfig of a call, and the mode that follows.
struct ReadGeneration {
  GenerationConfig config;
  GenerationMode mode;
};

/// Reads the files and checks all values.
/// @param model  as --model has it
/// @return nothing if neither an option nor a file speaks of GenerationConfig: the other options
/// then say everything
/// @throws ConfigError
std::optional<ReadGeneration> read_generation(const GenerationOptions& options,
                                              const std::string& model);

/// Settings as the engines take them.
struct GenerationPlan {
  GenerationMode mode{};  ///< without GenerationConfig: sample, whatever the temperature
  engines::DecoderOptions decoding{};
  std::string policy{};                      ///< of the speculation length
  std::optional<std::int32_t> max_length{};  ///< of the whole text, in place of max_new_tokens
  std::int32_t num_return_sequences = 1;
  std::vector<Token> folder_ends{};  ///< eos_token_id of the folder, which its tokenizer reads too

  /// True if run_search makes the texts.
  bool needs_search() const { return mode.searches() || num_return_sequences > 1; }
};

/// A call whose values are decided: the plan counts, and not the options that it was made from.
struct GenerateCall {
  const GenerateOptions& options;
  GenerationPlan plan{};
};

/// @throws ConfigError for a mode that is not built, for values that a running mode refuses, and
/// for a drafter, policy or verifier that it does not take
GenerationPlan generation_plan(const ReadGeneration& read, const GenerationOptions& options);

/// The plan that keys of GenerationConfig ask for without a command line or a folder.
/// @param values   texts as options have them, by key: {"num_beams", "4"}
/// @param decoder  for what no key says: drafter, verifier, ignore_eos, seed
/// @param policy   none: constant:4, or what the keys of an assistant ask for
/// @throws ConfigError as read_generation and generation_plan, and for an unknown key
GenerationPlan generation_plan_of(const std::map<std::string, std::string>& values,
                                  const engines::DecoderOptions& decoder,
                                  const std::optional<std::string>& policy = std::nullopt);

/// For a model without a tokenizer, which alone would know the folder's ends.
void use_folder_ends(GenerationPlan& plan);

/// Fills in the lengths that depend on the prompt.
/// @throws ConfigError if the prompt leaves no room below max_length
void set_prompt_length(GenerationPlan& plan, std::size_t prompt_length);

}  // namespace speclab::experiments
