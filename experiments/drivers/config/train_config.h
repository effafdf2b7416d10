#pragma once
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "engines/interface/language_model.h"
#include "engines/interface/training.h"

namespace speclab::experiments {

/// A training config: the options, and the prompts as text until a tokenizer is there.
struct TrainConfig {
  engines::ModelOptions target{.model = "smollm2-135m"};
  std::string chat_template = "auto";  ///< one of kChatTemplates
  engines::TrainOptions options;
  std::string prompt_file = "../prompts/train.toml";  ///< own_text.prompts, relative to the config
  std::int64_t num_prompts = 1000;
  std::int32_t longest_prompt = 0;  ///< prompts of more tokens are left out; 0: none is
  std::vector<std::string> prompts{};

  bool is_language_model() const { return !options.trainer().has_target; }
};

/// The first prompts that a prompt file makes. @throws ConfigError with file, line and column
std::vector<std::string> make_prompts(const std::string& path, std::size_t count);

/// Without a table [own_text] there are no prompts where there is a table [text]. Prompts are made
/// from the lists of a prompt file: template i meets an entry of each list that it has a slot for,
/// so that all pairs come up before one is repeated; beyond their number prompts repeat.
/// @param settings  "key=value", applied over the file
/// @param output  folder of the drafter, in place of drafter.output where it is not empty
/// @throws ConfigError with file, line and column; also where the settings name another target and
/// nothing names another folder for its drafter
TrainConfig read_train_config(const std::string& path,
                              const std::vector<std::string>& settings = {},
                              const std::string& output = "");

/// Names files of the user cache for the texts of a training where its config names none: one for
/// every target and every choice of texts, so that trainings of different targets never meet in
/// one file. Trainings that differ in their drafter alone share it.
void name_text_caches(const engines::ModelInfo& target, engines::TrainOptions& options);

}  // namespace speclab::experiments
