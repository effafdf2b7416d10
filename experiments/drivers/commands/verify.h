#pragma once
#include <optional>
#include <string>

#include "experiments/drivers/program/model_options.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// Options of `speclab verify`.
struct VerifyOptions {
  CommonOptions common;
  engines::DecoderOptions decoder{.stop = {.max_new_tokens = 64},
                                  .drafter = {.kind = "small_transformer"}};
  int speculation_length = 4;
  PromptListOptions prompts;              ///< two of each category of the core set if none is given
  std::optional<std::string> prompt_ids;  ///< one prompt instead
  bool chat_template = true;
  std::optional<std::string> against;  ///< number format to measure the distance to, one of
                                       ///< kComparedDtypes
  std::int32_t positions = 2000;       ///< of that distance
};

/// @return 0 where nothing speaks against the target's law, ExitCode::drift where something does,
/// ExitCode::invalid_measurement where
///         nothing was drafted @throws ConfigError and what the engines throw
int run_verify(const VerifyOptions& options);

}  // namespace speclab::experiments
