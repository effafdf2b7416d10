#pragma once
#include "experiments/drivers/commands/model_options.h"

namespace speclab::experiments {

/// Options of `speclab tokenize`: lines of standard input to lines of standard output.
struct TokenizeOptions {
  CommonOptions common;
  bool raw = false;     ///< lines are text as they are, else JSON strings
  bool decode = false;  ///< lines are JSON arrays of ids, the output is JSON strings (text with --raw)
};

int run_tokenize(const TokenizeOptions& options);

/// Options of `speclab score`: the teacher-forced log-likelihood of a text.
struct ScoreOptions {
  CommonOptions common;
  std::string file;
};

int run_score(const ScoreOptions& options);

/// `speclab models` and `speclab models inspect MODEL`.
struct ModelsOptions {
  CommonOptions common;
  std::string inspect;  ///< empty: list
};

int run_models(const ModelsOptions& options);

}  // namespace speclab::experiments
