#include "engines/training/torch/hidden_state_trainer.h"

#include <fmt/format.h>

#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/start_folder.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {

namespace {

std::string digest_of_vocabulary(const std::string& folder) {
  return folder.empty() ? "" : " " + sha256_file(config_file(folder));
}

}  // namespace

std::string distillation_digest(const DistillationOptions& options) {
  return fmt::format("{} {} {}{}", options.draft_vocabulary, options.loss,
                     digest_of_start(options.start_from),
                     digest_of_vocabulary(options.vocabulary_from));
}

void train_hidden_state_drafter(const HiddenStateTraining& training, const TrainOptions& options,
                                const TrainCallbacks& callbacks,
                                const std::function<void(const std::string& path)>& write_config) {
  const std::string& start = options.distillation.start_from;
  if (!start.empty()) read_parameters(start, training.task.parameters());
  make_folder(options.output);
  const TrainingOutcome outcome = run_training(training.texts, training.task,
                                               {options.schedule,
                                                checkpoint_file(options.output),
                                                options.provenance,
                                                {training.digest, options.config}},
                                               callbacks);
  nlohmann::ordered_json manifest =
      transformer_manifest(training.task, training.texts, options, training.target, outcome);
  manifest["objective"] = training.objective;
  if (const std::string& from = options.distillation.vocabulary_from; !from.empty())
    manifest["vocabulary_from"] = {{"config_sha256", sha256_file(config_file(from))}};
  if (!start.empty()) manifest["start_from"] = manifest_of_start(start);
  write_drafter(training.task.parameters(), {outcome.curve, manifest}, options.output,
                write_config);
}

}  // namespace speclab::engines
