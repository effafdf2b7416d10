#pragma once
#include <map>
#include <optional>
#include <string>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generate/constraint.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/prompt.h"

namespace CLI {
class App;
}

namespace speclab::experiments {

/// Everything that decides how `speclab generate` makes its texts.
struct GenerationOptions {
  std::optional<std::string> config_file{};    ///< --generation-config
  std::optional<std::string> save_file{};      ///< --save-generation-config
  bool explain = false;                        ///< no text, but the mode and the values
  bool has_key_option = false;                 ///< an option is given that GenerationConfig brought
  std::map<std::string, std::string> given{};  ///< values as texts, by key
  bool is_drafter_given = false;               ///< --drafter
  bool is_policy_given = false;                ///< --policy or --speculation-length
  engines::DecoderOptions decoder{};           ///< the options' own; keys that are given win
  std::string policy = "constant:4";           ///< decides the speculation length
};

/// Options of `speclab generate`.
struct GenerateOptions {
  CommonOptions common;
  PromptInput prompt;
  bool side_by_side = false;
  bool draw_trees = false;  ///< every round's draft instead of text as it comes
  StreamOptions stream;
  GenerationOptions generation;
  ConstraintOptions constraint;

  /// Whether standard output holds JSON alone.
  bool prints_json() const { return common.json || stream.has_lines(); }
};

/// Adds an option for each key of GenerationConfig that has none yet, and notes the values of those
/// that are there.
/// @param command  has all its other options
void add_generation_options(CLI::App* command, GenerationOptions& options);

}  // namespace speclab::experiments
