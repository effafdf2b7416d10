#include "experiments/drivers/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <speclab_revision.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "engines/interface/names.h"
#include "experiments/drivers/commands/generate.h"
#include "experiments/drivers/commands/law.h"
#include "experiments/drivers/commands/report.h"
#include "experiments/drivers/commands/run.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/commands/train.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// A subcommand whose options live as long as the program and whose action runs after parsing.
template <typename Options>
CLI::App* add_command(CLI::App& app, const char* name, const char* description, const char* example, Options& options, int (*run)(const Options&), int& status) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(std::string("Example: ") + example);
  command->callback([&options, run, &status] { status = run(options); });
  return command;
}

/// The whole text must be a number of the option's type: CLI11 would take "" for 0 and let large seeds saturate.
template <typename Number>
CLI::Validator whole_number() {
  const auto check = [](const std::string& text) -> std::string {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return "";
    if constexpr (std::is_integral_v<Number>)
      return fmt::format("'{}'; allowed: integers from {} to {}", escaped(text, 40), std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
    return fmt::format("'{}'; allowed: numbers", escaped(text, 40));
  };
  return CLI::Validator(check, "");
}

template <typename Number>
CLI::Option* add_number(CLI::App* command, const char* name, Number& value, const char* description) {
  return command->add_option(name, value, description)->capture_default_str()->check(whole_number<Number>());
}

void add_model_choice(CLI::App* command, std::string& model) {
  command->add_option("--model", model, "Catalogue name, GGUF file or checkpoint folder")->capture_default_str();
}

void add_model_options(CLI::App* command, CommonOptions& common) {
  add_model_choice(command, common.model.model);
  command->add_option("--device", common.model.device, "auto, cpu or cuda")->capture_default_str();
  command->add_option("--dtype", common.model.dtype, "auto, float32 or bfloat16")->capture_default_str();
  command->add_option("--arithmetic", common.model.arithmetic, "fast or row_invariant (CPU kernels always are; CUDA has it not)")->capture_default_str();
  add_number(command, "--threads", common.model.threads, "Threads; 0 is all cores");
  command->add_flag("--json", common.json, "Print one JSON object");
}

void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder) {
  add_number(command, "--max-new-tokens", decoder.stop.max_new_tokens, "Tokens to generate at most");
  add_number(command, "--temperature", decoder.sampling.temperature, "0 is greedy");
  add_number(command, "--top-k", decoder.sampling.top_k, "Keep the k most likely tokens; 0 is off");
  add_number(command, "--top-p", decoder.sampling.top_p, "Keep the smallest set of this mass; 1 is off");
  add_number(command, "--min-p", decoder.sampling.min_p, "Keep tokens at least this likely relative to the best; 0 is off");
  add_number(command, "--repetition-penalty", decoder.sampling.repetition_penalty, "Divides scores of tokens seen before; 1 is off");
  add_number(command, "--no-repeat-ngram-size", decoder.sampling.no_repeat_ngram_size, "No n-gram of this size twice; 0 is off");
  add_number(command, "--min-length", decoder.sampling.min_length, "No end of sequence before this length, prompt included; 0 is off");
  command->add_option("--suppress-tokens", decoder.sampling.suppress_tokens, "Ids that are never generated: 1,2,3")->delimiter(',')->check(whole_number<Token>());
  add_number(command, "--typical-p", decoder.sampling.typical_p, "Keep the most typical tokens of this mass; 1 is off");
  add_number(command, "--epsilon-cutoff", decoder.sampling.epsilon_cutoff, "Keep tokens at least this likely; 0 is off");
  add_number(command, "--eta-cutoff", decoder.sampling.eta_cutoff, "The same, less where the law is flat; 0 is off");
  command->add_flag("--ignore-eos", decoder.stop.ignore_eos, "Do not stop at the end-of-sequence token");
  command->add_option("--stop", decoder.stop.stop_strings, "Stop before this text; may be repeated");
}

void add_generate_options(CLI::App* command, GenerateOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.decoder);
  CLI::Option* prompt = command->add_option("--prompt", options.prompt, "The prompt; standard input where none is given, less a newline at its end");
  CLI::Option* file = command->add_option("--prompt-file", options.prompt_file, "File with the prompt, less a newline at its end")->excludes(prompt);
  command->add_option("--prompt-ids", options.prompt_ids, "Prompt as token ids: 1,2,3")->excludes(prompt)->excludes(file);
  command->add_flag("!--no-chat-template", options.chat_template, "Use the text as it is");
  command->add_flag("--side-by-side", options.side_by_side, "Plain decoding first, then speculative");
  command->add_option("--drafter", options.decoder.drafter.kind, "plain, none, bigram, prompt_lookup or small_transformer")->capture_default_str();
  command->add_option("--drafter-model", options.decoder.drafter.model, "Model of a small_transformer drafter, table of a bigram one or its folder; the project's own where empty");
  command->add_option("--tree", options.decoder.drafter.tree, "chain, or for small_transformer children a level as in 2x2x1")->capture_default_str();
  command->add_option("--verifier", options.decoder.verifier, fmt::format("{}; lenient and typical change the output law", fmt::join(engines::kUserVerifierKinds, ", ")))->capture_default_str();
  add_number(command, "--lenience", options.decoder.lenience, "Verifier lenient: accept with p/(lenience q); 1 is exact");
  command->add_option_function<std::string>("--lenient-residual", [&options](const std::string& form) {
    options.decoder.lenient_residual = form == "full" ? LenientResidual::full : LenientResidual::lenient;
  }, "Verifier lenient: a rejection leaves p - q (full) or p - lenience q (lenient)")->check(CLI::IsMember({"full", "lenient"}))->default_str("full");
  add_number(command, "--typical-epsilon", options.decoder.typical_epsilon, "Verifier typical: accept above min(epsilon, delta exp(-entropy))");
  add_number(command, "--typical-delta", options.decoder.typical_delta, "Verifier typical: see --typical-epsilon");
  add_number(command, "--seed", options.common.seed, "Seed of all draws");
  const auto set_policy = [&options](const int& length) { options.policy = "constant:" + std::to_string(length); };
  CLI::Option* length = command->add_option_function<int>("--speculation-length", set_policy, "Tokens drafted a round (4)")->check(whole_number<int>());
  command->add_option("--policy", options.policy, "constant:N, heuristic, or auto, which measures costs first")->excludes(length);
}

void add_run_options(CLI::App* command, RunCommandOptions& options) {
  command->add_option("config", options.config, "TOML file, or the manifest.toml of a run")->required();
  command->add_option("--set", options.settings, "key=value over the config, as in axes.temperature=[0.0,1.0]; may be repeated")->allow_extra_args(false);
  command->add_option("--output", options.output, "Run folder; results/runs/NAME where not given");
  command->add_flag("--dry-run", options.dry_run, "Check the config and list what would run");
  command->add_flag("!--no-report", options.report, "Make no report at the end");
}

void add_report_options(CLI::App* command, ReportCommandOptions& options) {
  command->add_option("run", options.run, "Run folder")->required();
  command->add_option("--plotly", options.plotly_js, "plotly.min.js; where scripts/setup puts it if not given");
  command->add_flag("!--no-static-figures", options.static_figures, "Draw no PDF, PNG and SVG");
}

/// --help ends 0, every other complaint about the command line 2.
int exit_after_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::config);
}

/// CLI11 would ask for a subcommand whatever stands in its place.
void check_command(const CLI::App& app, int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "-";
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_it = [&](const CLI::App* command) { return command->get_name() == given; };
  if (given.starts_with('-') || std::ranges::any_of(commands, is_it)) return;
  std::string names;
  for (const CLI::App* command : commands) names += (names.empty() ? "" : ", ") + command->get_name();
  throw ConfigError("no command '" + escaped(given, 40) + "'; allowed: " + names);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("speclab: speculative decoding, measured, predicted and explained");
  app.set_version_flag("--version", SPECLAB_REVISION);
  app.require_subcommand(1);
  int status = 0;
  GenerateOptions generate;
  add_generate_options(add_command(app, "generate", "Generate text with any drafter", "speclab generate --drafter prompt_lookup --side-by-side --prompt 'Hello'", generate, run_generate, status), generate);
  TokenizeOptions tokenize;
  CLI::App* tokenize_command = add_command(app, "tokenize", "Text to ids, a line at a time", "echo '\"Hello\"' | speclab tokenize", tokenize, run_tokenize, status);
  add_model_choice(tokenize_command, tokenize.model);
  tokenize_command->add_flag("--raw", tokenize.raw, "Lines are text as they are, not JSON strings");
  tokenize_command->add_flag("--decode", tokenize.decode, "Ids to text");
  LawOptions law;
  add_command(app, "law", "What the sampling settings make of logits, a JSON line at a time", "echo '{\"logits\": [1, 2, null], \"top_p\": 0.9}' | speclab law", law, run_law, status);
  ScoreOptions score;
  CLI::App* score_command = add_command(app, "score", "Teacher-forced log-likelihood of a text", "speclab score --file README.md --dtype float32", score, run_score, status);
  add_model_options(score_command, score.common);
  score_command->add_option("--file", score.file, "Text to score")->required();
  ModelsOptions models;
  CLI::App* models_command = add_command(app, "models", "List the models known by name, or inspect one", "speclab models inspect smollm2-135m", models, run_models, status);
  CLI::App* inspect = models_command->add_subcommand("inspect", "Show one model");
  inspect->add_option("model", models.inspect, "Catalogue name, file or folder")->required();
  RunCommandOptions run;
  add_run_options(add_command(app, "run", "Run an experiment: predict, measure, report", "speclab run experiments/configs/quickstart.toml", run, run_run, status), run);
  ReportCommandOptions report;
  add_report_options(add_command(app, "report", "Make the report of a run folder", "speclab report results/runs/quickstart", report, run_report, status), report);
  TrainCommandOptions train;
  CLI::App* train_command = add_command(app, "train", "Train a drafter on the target's own text", "speclab train experiments/configs/train_smollm2_drafter.toml", train, run_train, status);
  train_command->add_option("config", train.config, "TOML file")->required();
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_after_parse_error(app, error);
  }
  return status;
}

/// What was printed must have arrived: a full disk behind a redirection is noticed only here.
void flush_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw WriteError("standard output: cannot write; free space where it goes");
}

int exit_after_error(const std::exception& error) {
  if (std::ferror(stdout)) {
    std::fprintf(stderr, "speclab: standard output: cannot write: %s; free space where it goes\n", error.what());
    return static_cast<int>(ExitCode::cannot_write);
  }
  std::fprintf(stderr, "speclab: internal error: %s\n", error.what());
  return static_cast<int>(ExitCode::internal);
}

}  // namespace

int run_cli(int argc, char** argv) {
  try {
    const int status = parse_and_run(argc, argv);
    flush_standard_output();
    return status;
  } catch (const Error& error) {
    std::fprintf(stderr, "speclab: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "speclab: not enough memory; use a smaller model, batch or context\n");
    return static_cast<int>(ExitCode::internal);
  } catch (const std::exception& error) {
    return exit_after_error(error);
  }
}

}  // namespace speclab::experiments
