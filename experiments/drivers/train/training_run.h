#pragma once
// One run of `speclab train`: the settings that it began with, its progress, and the acceptance
// that is measured at its end on prompts that the drafter was not trained on.

#include <chrono>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "engines/interface/training.h"
#include "experiments/drivers/config/train_config.h"

namespace speclab::experiments {

/// Chooses where a training writes: into the unfinished version of the drafter's folder, or into
/// the next one. A folder that holds a drafter without versions is written itself.
struct TrainingPlace {
  std::string folder;             ///< of the drafter
  bool overwrites = false;        ///< a finished drafter without versions
  bool into_used_folder = false;  ///< the folder may hold files of something else
  std::string call{};             ///< of a training by minutes, as was_begun takes it

  /// @throws ConfigError if the folder holds a finished drafter without versions, another model or
  /// files of something else; what was_begun throws
  std::string chosen() const;
};

/// The config's prompts as ids, without those of more than `longest_prompt` tokens.
std::vector<std::vector<Token>> prompt_ids(const engines::Tokenizer& tokenizer,
                                           const TrainConfig& config);

/// Notes what makes the training in its options.
/// @param target_device  where its target's text is made; empty without a target
void note_provenance(const engines::Engines& engines, const std::string& target_device,
                     TrainConfig& config);

/// Makes the target's text and the drafter's folder, then measures its acceptance.csv. A call that
/// was stopped while it measured goes on there.
/// @param target  with a tokenizer
/// @throws what Engines::train throws, ConfigError if another config's drafter is being measured
void train_for_target(engines::Engines& engines, const engines::LoadedModel& target,
                      TrainConfig& config, const engines::TrainCallbacks& callbacks);

// The settings of a training that was chosen by minutes. They stand in the drafter's folder while
// the training lasts, so that the same command goes on with them, whatever the machine's speed is
// by then.

/// A config of `speclab train` in the drafter's folder.
std::string begun_file(const std::string& folder);

/// Whether a training of this call was begun in the folder.
/// @param call  the command that chose the settings, in one line
/// @param replaces  what another call began
/// @throws ConfigError if another call began one there, DataError if that cannot be read
bool was_begun(const std::string& folder, const std::string& call, bool replaces);

/// @param forecast  in one line
/// @param config  its output is the drafter's folder, that of all versions
/// @throws WriteError
void write_begun(const std::string& folder, const std::string& call, const std::string& forecast,
                 TrainConfig config);

/// The file becomes train.toml, which shows what made the drafter. @throws WriteError
void end_begun(const std::string& folder);

/// Lines of progress on standard error, with what is left of a phase; what a resumed phase found
/// done is not counted.
class TrainingProgressLines {
 public:
  void show(const engines::TrainProgress& progress);

 private:
  std::string phase_;
  double first_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

/// Whether the training held out prompts that the target can answer.
bool holds_out_prompts(const engines::TrainOptions& options);

/// The acceptance.csv of a drafter's folder: sums by temperature, held-out prompt and depth, for
/// the first prompts, at most 16 of them. The target answers each with at most 32 tokens, and a
/// draft is made at every place of the answer.
/// @param options  of the training that ended; it holds out prompts
/// @throws ConfigError, ModelFileError if the drafter cannot be loaded
std::string held_out_acceptance(engines::Engines& engines, const engines::LoadedModel& target,
                                const engines::TrainOptions& options,
                                const engines::TrainCallbacks& callbacks);

}  // namespace speclab::experiments
