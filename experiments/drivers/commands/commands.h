#pragma once
// The commands of the program: a struct of options, and the function that acts on them.

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "experiments/drivers/compare/gates.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// `speclab generate`. @return exit code @throws ConfigError and what the engines throw
int run_generate(const GenerateOptions& options);

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

/// Options of `speclab law`: each line of standard input is a JSON object with `logits` (null is
/// minus infinity) and sampling settings named as in generate(), each line of standard output the
/// array of probabilities, 17 digits.
struct LawOptions {};

/// Names of what a line may have: `logits`, without which there is no law, first.
std::vector<std::string> law_keys();

/// @throws ConfigError naming the line and the key
int run_law(const LawOptions& options);

/// Options of `speclab verify`.
struct VerifyOptions {
  CommonOptions common;
  engines::DecoderOptions decoder{.stop = {.max_new_tokens = 64},
                                  .drafter = {.kind = "small_transformer"}};
  int speculation_length = 4;
  PromptListOptions prompts;              ///< two of each category of the core set if none is given
  std::optional<std::string> prompt_ids;  ///< one prompt instead
  bool chat_template = true;
  std::optional<std::string> against;  ///< number format to measure the distance to, one of
                                       ///< kComparedDtypes
  std::int32_t positions = 2000;       ///< of that distance
};

/// @return 0 where nothing speaks against the target's law, ExitCode::drift where something does,
/// ExitCode::invalid_measurement where nothing was drafted
/// @throws ConfigError and what the engines throw
int run_verify(const VerifyOptions& options);

struct ReportCommandOptions {
  std::vector<std::string> folders;  ///< a run's, or of trainings
  std::string output{};  ///< folder of all that is written; empty: the run folder, of a training
                         ///< its figures/
  bool into_used_folder = false;  ///< the output may hold files of something else
  bool are_stages = false;        ///< the folders are stages of one training, in order
  std::string plotly_js{};        ///< empty: where scripts/setup puts it
  bool static_figures = true;
};

/// `speclab report`: prints the answer and where the report is; of trainings, how they ended and
/// where the figures are. The report of a run that has not ended is made from its journal where
/// that holds more than the tables; page and standard error say how far the run is.
/// @return exit code @throws ConfigError if a folder is not there, several are not all of
/// trainings, or the output is another run; what write_report, write_partial_run and
/// read_training_curve throw
int run_report(const ReportCommandOptions& options);

/// The report of one run, without a word on standard output. @throws what run_report throws
analysis::ReportSummary make_run_report(const ReportCommandOptions& options);

/// The last line that `run` and `report` print: the gain, if there is one, and where the report is.
std::string closing_line(const analysis::ReportSummary& summary);

struct CompareOptions {
  std::string base, head;        ///< revisions, build folders, or both run folders
  BuildGateOptions builds{};     ///< of revisions and build folders
  analysis::GateOptions runs{};  ///< of run folders
  std::string replay{};          ///< folder of a gate whose verdicts are drawn again; empty: none
  std::vector<std::string> power{};  ///< folders of pairs of a build with itself, whose gate's
                                     ///< power is asked for; empty: none
  std::vector<std::string> given_of_builds{},
      given_of_runs{};  ///< options on the command line that only one of them takes
  bool json = false;
};

/// `speclab compare`: prints the verdicts. @return exit code of the verdict @throws what
/// compare_builds, compare_runs and replay_gate throw
int run_compare(const CompareOptions& options);

struct TrainCommandOptions {
  std::optional<std::string> config{};
  std::vector<std::string> settings{};  ///< "key=value", over the config
  std::string output{};                 ///< in place of drafter.output
  bool overwrites = false;              ///< a finished drafter there
  bool into_used_folder = false;        ///< the folder may hold files of something else
  std::string target{};                 ///< catalogue name, GGUF or folder, in place of a config
  std::string kind{};                   ///< one of kKindsByMinutes, with a target
  std::optional<double> minutes{};      ///< that the training for a target may take
};

/// `speclab train`: progress on standard error.
/// @throws ConfigError if neither a config nor a target is given
int run_train(const TrainCommandOptions& options);

/// Options of `speclab reproduce`.
struct ReproduceOptions {
  std::vector<std::string> ids{};
  bool list = false;
  bool all_analytic = false;
  std::string output = "results/runs/reproduce";
  bool figures = true;
  bool quick = false, full = false;  ///< how much is measured, for tables that are
  std::string
      from{};  ///< folder of sweeps that were measured before, a folder a name; empty: measure
  std::optional<std::string>
      data{};  ///< folder of the papers' numbers; those compiled in where not given
  std::vector<std::string> metrics{};  ///< NAME=VALUE, for metric_crosswalk
};

/// `speclab reproduce`: ours beside the paper's, from closed forms or measured.
/// @return 0 where every closed form agrees, ExitCode::drift where one does not
/// @throws ConfigError about options, DataError about the papers' files, WriteError
int run_reproduce(const ReproduceOptions& options);

struct ConfigCommandOptions {
  std::string key;  ///< only keys that begin so; empty: all
  bool describe = false;
  bool json = false;
  bool markdown = false;
};

/// `speclab config --describe`. @return exit code @throws ConfigError if no key begins so
int run_config_command(const ConfigCommandOptions& options);

/// What stands between the marks of experiments/configs/README.md.
std::string config_reference_page();

struct SummaryOptions {
  std::string folder{};  ///< with the folders of committed runs; empty: the program's own
};

/// `speclab summary`: prints the figures of the first README from the tables of committed runs.
/// @return exit code @throws DataError if a table is missing or broken
int run_summary(const SummaryOptions& options);

}  // namespace speclab::experiments
