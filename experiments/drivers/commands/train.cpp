#include "experiments/drivers/commands/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/commands/loading_note.h"
#include "experiments/drivers/commands/prompt.h"
#include "experiments/drivers/commands/text_caches.h"
#include "experiments/drivers/commands/train_config.h"
#include "experiments/drivers/commands/train_schema.h"
#include "experiments/drivers/engines_loader.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/run/interruption.h"
#include "experiments/drivers/run/program_origin.h"
#include "experiments/drivers/run/used_folder.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::experiments {
namespace {

/// ", 12 min left" of the phase that has been running since `begin`.
std::string time_left(double fraction, std::chrono::steady_clock::time_point begin) {
  if (fraction <= 0 || fraction >= 1) return "";
  const std::chrono::duration<double, std::ratio<60>> passed =
      std::chrono::steady_clock::now() - begin;
  return fmt::format(", {:.0f} min left", passed.count() * (1 / fraction - 1));
}

std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

void print_progress(const engines::TrainProgress& progress) {
  if (progress.phase == "train")
    fmt::print(stderr, "train {:3.0f} %: {} tokens, loss {:.4f}, validation",
               100 * progress.fraction, progress.tokens, progress.loss);
  else if (progress.phase == "validate")
    fmt::print(stderr, "held out, {}: {} tokens, perplexity {:.1f}", progress.source,
               progress.tokens, std::exp(progress.loss));
  else if (progress.phase == "count")
    fmt::print(stderr, "counting {} tokens", progress.tokens);
  else
    fmt::print(stderr, "{} {:3.0f} %: {} new tokens", progress.phase, 100 * progress.fraction,
               progress.tokens);
  if (progress.acceptance_rate)
    fmt::print(stderr, ", {} {:.3f}", in_words(progress.acceptance_name),
               *progress.acceptance_rate);
  if (progress.greedy_agreement)
    fmt::print(stderr, ", arg max equal {:.3f}", *progress.greedy_agreement);
}

/// Lines of progress, with what is left of a phase; what a resumed phase found done is not counted.
class ProgressLines {
 public:
  void show(const engines::TrainProgress& progress) {
    const bool begins = progress.phase != phase_;
    if (begins)
      first_ = progress.fraction, begin_ = std::chrono::steady_clock::now(),
      phase_ = progress.phase;
    print_progress(progress);
    fmt::print(stderr, "{}\n",
               begins || first_ >= 1
                   ? ""
                   : time_left((progress.fraction - first_) / (1 - first_), begin_));
  }

 private:
  std::string phase_;
  double first_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

/// A training that was stopped left a checkpoint, from which it goes on.
void expect_no_drafter(const std::string& folder) {
  const auto is_there = [&](const char* file) {
    std::error_code none;
    return std::filesystem::exists(fmt::format("{}/{}", folder, file), none);
  };
  if (is_there("checkpoint.bin") || (!is_there("manifest.json") && !is_there("config.json")))
    return;
  throw ConfigError(
      fmt::format("{}: holds a finished drafter or another model; choose another folder with "
                  "--output, or give --overwrite to replace it",
                  escaped(folder, 200)));
}

/// Names that a training leaves in its folder, finished or not.
constexpr std::array<const char*, 6> kOwnFiles{"checkpoint.bin",    "config.json", "manifest.json",
                                               "model.safetensors", "ngram.bin",   "training.csv"};

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

std::string digest_of_config(const Provenance& config) {
  std::string lines;
  for (const auto& [key, value] : config) lines += fmt::format("{} = {}\n", key, value);
  return sha256_text(lines);
}

std::string digest_of_prompts(const std::vector<std::string>& prompts) {
  std::string sized;
  for (const std::string& prompt : prompts) sized += fmt::format("{}\n{}\n", prompt.size(), prompt);
  return sha256_text(sized);
}

/// Notes what makes the training. @param target_device  where its target's text is made; empty
/// without a target
void note_provenance(const engines::Engines& engines, const std::string& target_device,
                     TrainConfig& config) {
  engines::TrainOptions& options = config.options;
  options.config = effective_train_config(config);
  options.provenance = program_origin(engines.machine_info(),
                                      options.drafter == "ngram" ? "cpu" : options.schedule.device);
  if (!target_device.empty()) options.provenance.emplace_back("target_device", target_device);
  options.provenance.emplace_back("config_sha256", digest_of_config(options.config));
  if (!config.prompts.empty())
    options.provenance.emplace_back("prompt_texts_sha256", digest_of_prompts(config.prompts));
  options.provenance.emplace_back(
      "seed",
      std::to_string(options.drafter == "ngram" ? options.own_text.seed : options.schedule.seed));
}

/// @param path  of the config, for messages
void train_for_target(engines::Engines& engines, const std::string& path, TrainConfig& config,
                      const engines::TrainCallbacks& callbacks) {
  const engines::LoadedModel target = load_with_note(engines, config.target);
  tokenizer_of(target, fmt::format("{}: target.model '{}' has no text of its own to train on", path,
                                   config.target.model));
  if (!config.prompts.empty()) note_missing_template(*target.tokenizer, config.chat_template);
  for (const std::string& prompt : config.prompts)
    config.options.own_text.prompts.push_back(
        chat_prompt_ids(*target.tokenizer, prompt, config.chat_template));
  name_text_caches(target.model->info(), config.options);
  note_provenance(engines, target.model->info().device, config);
  engines.train(*target.model, target.tokenizer, config.target.model, config.options, callbacks);
}

void train_alone(engines::Engines& engines, TrainConfig& config,
                 const engines::TrainCallbacks& callbacks) {
  note_provenance(engines, "", config);
  engines.train_language_model(config.options, callbacks);
}

}  // namespace

int run_train(const TrainCommandOptions& options) {
  TrainConfig config = read_train_config(options.config, options.settings, options.output);
  expect_there(options.config, "files", config.options.text.files);
  expect_there(options.config, "held_out_files", config.options.text.held_out_files);
  if (!options.overwrites) expect_no_drafter(config.options.output);
  if (!options.into_used_folder)
    refuse_used_folder(config.options.output,
                       std::vector<std::string>(kOwnFiles.begin(), kOwnFiles.end()));
  const auto engines = open_engines();
  const Interruption interruption;
  ProgressLines lines;
  const engines::TrainCallbacks callbacks{
      [&](const engines::TrainProgress& progress) { lines.show(progress); },
      [&] { interruption.check("the same command goes on from there"); }};
  if (config.is_language_model())
    train_alone(*engines, config, callbacks);
  else
    train_for_target(*engines, options.config, config, callbacks);
  fmt::print("{}\n", escaped(config.options.output, kLongestPath));
  return 0;
}

}  // namespace speclab::experiments
