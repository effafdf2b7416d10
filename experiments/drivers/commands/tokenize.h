#pragma once
#include <optional>
#include <string>

#include "experiments/drivers/program/model_options.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// Options of `speclab tokenize`: lines of standard input to lines of standard output.
struct TokenizeOptions {
  std::string model = "smollm2-135m";
  bool raw = false;  ///< lines are text as they are, else JSON strings
  bool decode =
      false;  ///< lines are JSON arrays of ids, the output is JSON strings (text with --raw)
  bool add_special_tokens = false;  ///< what the tokenizer puts around a whole text
  ChatOptions chat;  ///< with messages, a rendered conversation takes the place of the lines
  std::optional<std::string> template_file;  ///< in place of the model's own chat template
  bool add_generation_prompt = false;
  bool text = false;  ///< prints the rendered text, not its ids
};

/// @throws ConfigError naming the line that is no JSON string (with `decode`, no array of ids)
int run_tokenize(const TokenizeOptions& options);

/// The ids of a conversation, or its text; with a template file and `text`, no model is loaded.
/// @throws ConfigError, ModelFileError
int tokenize_messages(const TokenizeOptions& options);

/// Options of `speclab score`: the negative log-likelihood of a text, token by token.
struct ScoreOptions {
  CommonOptions common;
  std::optional<std::string> file;        ///< none: standard input
  std::optional<std::string> prompt_ids;  ///< instead of a file: "1,2,3", without a tokenizer
  PromptListOptions prompts;              ///< instead of a file: each text by itself
  std::optional<std::string> logits;      ///< .npy file for all rows
  bool confirm = false;                   ///< also the model's own choice at every place
};

/// @throws ConfigError if there are fewer than two tokens, one outside the vocabulary, or more than
/// the context, or if the logits would replace a file that is read; NotFiniteError naming the
/// model; WriteError
int run_score(const ScoreOptions& options);

/// `speclab models` and `speclab models inspect MODEL`.
struct ModelsOptions {
  CommonOptions common;
  std::string inspect;  ///< empty: list
};

/// @throws ConfigError, ModelFileError for a model that cannot be inspected
int run_models(const ModelsOptions& options);

}  // namespace speclab::experiments
