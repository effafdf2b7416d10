#pragma once
#include <string>

#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/program/model_options.h"
#include "experiments/drivers/prompts/prompt.h"

namespace speclab::experiments {

/// Options of `speclab generate`.
struct GenerateOptions {
  CommonOptions common;
  PromptInput prompt;
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

}  // namespace speclab::experiments
