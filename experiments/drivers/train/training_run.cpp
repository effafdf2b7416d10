#include "experiments/drivers/train/training_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/config/text_caches.h"
#include "experiments/drivers/config/train_schema.h"
#include "experiments/drivers/journal/program_origin.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

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

}  // namespace

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

std::vector<std::string> names_in_drafter_folder() {
  return {"begun.toml", "checkpoint.bin", "config.json", "manifest.json", "model.safetensors",
          "ngram.bin",  "tokenizer.part", "train.toml",  "training.csv"};
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
  engines.train(*target.model, target.tokenizer, config.target.model, config.options, callbacks);
}

}  // namespace speclab::experiments
