#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/commands/chat_files.h"
#include "experiments/drivers/commands/model_options.h"
#include "experiments/drivers/commands/prompt_list.h"
#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/stream_options.h"
#include "experiments/drivers/generation/generation_options.h"

namespace speclab::experiments {

/// Options of `speclab generate`; at most one source of the prompt, standard input where there is
/// none.
struct GenerateOptions {
  CommonOptions common;
  std::optional<std::string> prompt, prompt_file, prompt_ids;
  PromptListOptions prompts;  ///< in place of one prompt
  ChatOptions chat;  ///< messages in place of a prompt; tools and a system message also beside one
  bool chat_template = true;
  bool side_by_side = false;
  bool draw_trees = false;  ///< every round's draft instead of text as it comes
  StreamOptions stream;
  engines::DecoderOptions decoder;
  std::string policy = "constant:4";
  GenerationOptions generation;
  ConstraintOptions constraint;

  /// Whether standard output holds JSON alone.
  bool prints_json() const { return common.json || stream.has_lines(); }
};

/// @return exit code @throws ConfigError and what the engines throw
int run_generate(const GenerateOptions& options);

}  // namespace speclab::experiments
