#include "experiments/drivers/train/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/config/train_config.h"
#include "experiments/drivers/config/train_schema.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/program/command_folders.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

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

/// Stands in a drafter's folder while its acceptance is measured.
std::string measured_file(const std::string& folder) { return folder + "/acceptance.part"; }

std::string first_line(const std::string& call) { return "# " + escaped(call, kLongestPath); }

std::string toml_text(std::string value) { return value_text(ValueOfKey(&value)); }

/// A path that holds in every working directory.
std::string whole_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// The keys of every table that a training on own text has, and the paths, which the effective
/// config leaves out.
std::string keys_text(const TrainConfig& config) {
  std::string text, table;
  for (const auto& [name, value] : effective_train_config(config)) {
    const std::string of = name.substr(0, name.find('.')), key = name.substr(of.size() + 1);
    if (of == "text") continue;
    if (of != table) text += fmt::format("\n[{}]\n", of);
    if (of != table && of == "own_text")
      text += fmt::format("prompts = {}\n", toml_text(config.prompt_file));
    if (of != table && of == "drafter")
      text += fmt::format("output = {}\n", toml_text(config.options.output));
    text += fmt::format("{} = {}\n", key, value);
    table = of;
  }
  return text;
}

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

bool is_there(const std::string& file) {
  std::error_code none;
  return std::filesystem::exists(file, none);
}

/// A training that was stopped left a checkpoint, from which it goes on.
void expect_no_drafter(const std::string& folder) {
  if (is_there(folder + "/checkpoint.bin") || is_there(measured_file(folder)) ||
      (!is_there(folder + "/manifest.json") && !is_there(folder + "/config.json")))
    return;
  throw ConfigError(
      fmt::format("{}: holds a finished drafter or another model; choose another folder with "
                  "--output, or give --overwrite to replace it",
                  escaped(folder, 200)));
}

/// Names of files that a training leaves in a drafter's folder, finished or not, and of versions.
std::vector<std::string> names_in_drafter_folder(const std::string& folder) {
  std::vector<std::string> names{
      "acceptance.csv",    "begun.toml", "checkpoint.bin", "config.json", "manifest.json",
      "model.safetensors", "ngram.bin",  "tokenizer.part", "train.toml",  "training.csv"};
  for (const std::int64_t version : versions_in(folder))
    names.push_back(fmt::format("v{}", version));
  return names;
}

/// The digests of the config and its prompts.
std::string digests_of(const engines::TrainOptions& options) {
  std::string digests;
  for (const auto& [key, value] : options.provenance)
    if (key == "config_sha256" || key == "prompt_texts_sha256") digests += value + "\n";
  return digests;
}

/// Whether the drafter of this training is finished but for its acceptance.
bool is_being_measured(const engines::TrainOptions& options) {
  const std::string file = measured_file(options.output);
  if (!is_there(file)) return false;
  if (read_file(file) == digests_of(options)) return true;
  throw ConfigError(fmt::format(
      "{}: the acceptance of a drafter of another config was not measured to the end; repeat that "
      "training, or remove this file to leave it without acceptance.csv",
      escaped(file, kLongestPath)));
}

void measure_acceptance(engines::Engines& engines, const engines::LoadedModel& target,
                        const engines::TrainOptions& options,
                        const engines::TrainCallbacks& callbacks) {
  const std::string measured = measured_file(options.output);
  write_file(measured, digests_of(options));
  write_file(options.output + "/acceptance.csv",
             held_out_acceptance(engines, target, options, callbacks));
  std::error_code none;
  std::filesystem::remove(measured, none);
}

}  // namespace

std::string TrainingPlace::chosen() const {
  if (!into_used_folder) refuse_used_folder(folder, names_in_drafter_folder(folder));
  const std::string place = training_folder(folder);
  const bool goes_on = !call.empty() && was_begun(place, call, overwrites);
  if (!goes_on && !overwrites) expect_no_drafter(place);
  if (!into_used_folder) refuse_used_folder(place, names_in_drafter_folder(place));
  return place;
}

std::vector<std::vector<Token>> prompt_ids(const engines::Tokenizer& tokenizer,
                                           const TrainConfig& config) {
  std::vector<std::vector<Token>> all;
  for (const std::string& prompt : config.prompts) {
    std::vector<Token> ids = chat_prompt_ids(tokenizer, prompt, config.chat_template);
    const auto size = static_cast<std::int64_t>(ids.size());
    if (config.longest_prompt == 0 || size <= config.longest_prompt) all.push_back(std::move(ids));
  }
  return all;
}

void note_provenance(const engines::Engines& engines, const std::string& target_device,
                     TrainConfig& config) {
  engines::TrainOptions& options = config.options;
  options.config = effective_train_config(config);
  options.provenance = program_origin(engines.machine_info(),
                                      options.trainer().counts() ? "cpu" : options.schedule.device);
  if (!target_device.empty()) options.provenance.emplace_back("target_device", target_device);
  options.provenance.emplace_back("config_sha256", digest_of_config(options.config));
  if (!config.prompts.empty())
    options.provenance.emplace_back("prompt_texts_sha256", digest_of_prompts(config.prompts));
  options.provenance.emplace_back(
      "seed",
      std::to_string(options.trainer().counts() ? options.own_text.seed : options.schedule.seed));
}

void train_for_target(engines::Engines& engines, const engines::LoadedModel& target,
                      TrainConfig& config, const engines::TrainCallbacks& callbacks) {
  if (!config.prompts.empty()) note_missing_template(*target.tokenizer, config.chat_template);
  config.options.own_text.prompts = prompt_ids(*target.tokenizer, config);
  name_text_caches(target.model->info(), config.options);
  note_provenance(engines, target.model->info().device, config);
  if (!is_being_measured(config.options))
    engines.train(*target.model, target.tokenizer, config.target.model, config.options, callbacks);
  if (holds_out_prompts(config.options))
    measure_acceptance(engines, target, config.options, callbacks);
}

std::string begun_file(const std::string& folder) { return folder + "/begun.toml"; }

bool was_begun(const std::string& folder, const std::string& call, bool replaces) {
  const std::string file = begun_file(folder);
  if (std::error_code none; !std::filesystem::exists(file, none)) return false;
  const std::string text = read_file(file), found = text.substr(0, text.find('\n'));
  if (found == first_line(call)) return true;
  if (replaces) return false;
  throw ConfigError(fmt::format(
      "{}: a training by another call was begun there: {}; repeat that call, or choose another "
      "folder with --output, or give --overwrite",
      escaped(file, kLongestPath), escaped(found, 300)));
}

void write_begun(const std::string& folder, const std::string& call, const std::string& forecast,
                 TrainConfig config) {
  make_folder(folder);
  config.options.output = whole_path(config.options.output);
  std::error_code none;
  if (std::filesystem::exists(config.target.model, none))
    config.target.model = whole_path(config.target.model);
  write_file(begun_file(folder),
             fmt::format("{}\n# Forecast: {}\n{}", first_line(call), forecast, keys_text(config)));
}

void end_begun(const std::string& folder) {
  std::error_code error;
  std::filesystem::rename(begun_file(folder), folder + "/train.toml", error);
  if (error)
    throw WriteError(fmt::format("{}: cannot rename it to train.toml: {}",
                                 escaped(begun_file(folder), kLongestPath), error.message()));
}

void TrainingProgressLines::show(const engines::TrainProgress& progress) {
  const bool begins = progress.phase != phase_;
  if (begins)
    first_ = progress.fraction, begin_ = std::chrono::steady_clock::now(), phase_ = progress.phase;
  print_progress(progress);
  fmt::print(
      stderr, "{}\n",
      begins || first_ >= 1 ? "" : time_left((progress.fraction - first_) / (1 - first_), begin_));
}

}  // namespace speclab::experiments
