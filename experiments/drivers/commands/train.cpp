#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/commands/train_target.h"
#include "experiments/drivers/config/train_config.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/interruption.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/prompts/prompt.h"
#include "experiments/drivers/train/training_run.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// @param path, key  where the files are named
void expect_there(const std::string& path, const char* key, const std::vector<std::string>& files) {
  std::error_code none;
  for (const std::string& file : files)
    if (!std::filesystem::exists(file, none))
      throw ConfigError(
          fmt::format("{}: text.{}: {} is missing; allowed: text files, with paths relative to the "
                      "config's folder",
                      path, key, escaped(file, 200)));
}

/// @param path  of the config, for messages
void train_with_target(engines::Engines& engines, const std::string& path, TrainConfig& config,
                       const engines::TrainCallbacks& callbacks) {
  const engines::LoadedModel target = load_with_note(engines, config.target);
  tokenizer_of(target, fmt::format("{}: target.model '{}' has no text of its own to train on", path,
                                   config.target.model));
  train_for_target(engines, target, config, callbacks);
}

void train_alone(engines::Engines& engines, TrainConfig& config,
                 const engines::TrainCallbacks& callbacks) {
  note_provenance(engines, "", config);
  engines.train_language_model(config.options, callbacks);
}

/// The config, checked as far as it can be without its target.
TrainConfig checked_config(const std::string& path, const TrainCommandOptions& options) {
  TrainConfig config = read_train_config(path, options.settings, options.output);
  expect_there(path, "files", config.options.text.files);
  expect_there(path, "held_out_files", config.options.text.held_out_files);
  config.options.output =
      TrainingPlace{config.options.output, options.overwrites, options.into_used_folder}.chosen();
  return config;
}

/// @return the drafter's folder
std::string train_from_config(const std::string& path, TrainConfig config,
                              engines::Engines& engines, const engines::TrainCallbacks& callbacks) {
  if (config.is_language_model())
    train_alone(engines, config, callbacks);
  else
    train_with_target(engines, path, config, callbacks);
  return config.options.output;
}

}  // namespace

int run_train(const TrainCommandOptions& options) {
  if (!options.config && options.target.empty())
    throw ConfigError(
        "train needs a config or a target; allowed: speclab train CONFIG, or speclab train "
        "--target MODEL --kind ngram");
  std::optional<TrainConfig> config;
  if (options.config)
    config = checked_config(*options.config, options);
  else
    check_target_options(options);
  const auto engines = open_engines();
  const Interruption interruption;
  TrainingProgressLines lines;
  const engines::TrainCallbacks callbacks{
      [&](const engines::TrainProgress& progress) { lines.show(progress); },
      [&] { interruption.check("the same command goes on from there"); }};
  const std::string folder =
      config ? train_from_config(*options.config, *std::move(config), *engines, callbacks)
             : train_for_target_in_minutes(*engines, options, callbacks);
  fmt::print("{}\n", escaped(folder, kLongestPath));
  return 0;
}

}  // namespace speclab::experiments
