#include "experiments/drivers/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "experiments/drivers/cli/cli_analytic.h"
#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/cli/cli_pages.h"
#include "experiments/drivers/cli/cli_paths.h"
#include "experiments/drivers/cli/cli_shared_options.h"
#include "experiments/drivers/cli/cli_train_options.h"
#include "experiments/drivers/commands/config.h"
#include "experiments/drivers/commands/law.h"
#include "experiments/drivers/commands/summary.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/config/key_reference.h"
#include "experiments/drivers/config/run_schema.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

/// A subcommand whose options live as long as the program and whose action runs after parsing.
template <typename Options>
CLI::App* add_command(CLI::App& app, const char* name, const char* description, const char* example,
                      Options& options, int (*run)(const Options&), int& status) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(std::string("Example: ") + example);
  command->callback([&options, run, &status] { status = run(options); });
  return command;
}

/// The option of the command that was given which is nearest to one that it does not have; empty
/// where none is near.
std::string nearest_option(const CLI::App& command, const std::string& unknown) {
  constexpr std::size_t kNear = 3;
  std::pair<std::size_t, std::string> nearest{kNear + 1, ""};
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      nearest = std::min(nearest, {edit_distance(unknown, "--" + name), "--" + name});
  return nearest.second;
}

/// Empty where there is none.
std::string advice_on(const CLI::App& command, const std::string& unknown) {
  const std::string name = unknown.substr(0, unknown.find('=')).substr(0, 60);
  if (name == "--arithmetic") return "rows never depend on their number; remove --arithmetic";
  const std::string option = name.starts_with("--") ? nearest_option(command, name) : "";
  return option.empty() ? "" : fmt::format("did you mean {}?", option);
}

/// --help ends 0, every other complaint about the command line 2.
int exit_after_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const int status = app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::config);
  for (const CLI::App* command : app.get_subcommands())
    for (const std::string& unknown : command->remaining())
      if (const std::string advice = advice_on(*command, unknown); !advice.empty())
        std::fprintf(stderr, "%s\n", advice.c_str());
  return status;
}

/// CLI11 would ask for a subcommand whatever stands in its place.
void check_command(const CLI::App& app, int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "";
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_it = [&](const CLI::App* command) { return command->get_name() == given; };
  if (given.starts_with('-') || std::ranges::any_of(commands, is_it)) return;
  std::string names;
  for (const CLI::App* command : commands)
    names += (names.empty() ? "" : ", ") + command->get_name();
  throw ConfigError(fmt::format(
      "{}; allowed: {}; --help explains each",
      argc > 1 ? "no command '" + escaped(given, 40) + "'" : "a command is needed", names));
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("speclab: speculative decoding, measured, predicted and explained");
  app.formatter(help_formatter());
  app.set_version_flag("--version", fmt::format("speclab {} (revision {})", kVersion, kRevision));
  app.require_subcommand(1);
  int status = 0;
  GenerateOptions generate;
  add_generate_options(
      add_command(app, "generate", "Generate text with any drafter",
                  "speclab generate --drafter prompt_lookup --side-by-side --prompt 'Hello'",
                  generate, run_generate, status),
      generate);
  TokenizeOptions tokenize;
  add_tokenize_options(
      add_command(app, "tokenize", "Turn text into token ids, line by line, or a conversation",
                  "echo '\"Hello\"' | speclab tokenize", tokenize, run_tokenize, status),
      tokenize);
  LawOptions law;
  CLI::App* law_command = add_command(
      app, "law",
      "Print the law that sampling settings make of logits, one JSON line after the other",
      "echo '{\"logits\": [1, 2, null], \"top_p\": 0.9}' | speclab law", law, run_law, status);
  law_command->footer(fmt::format("{}\n\nKeys of a line: {}", law_command->get_footer(),
                                  fmt::join(law_keys(), ", ")));
  ScoreOptions score;
  CLI::App* score_command =
      add_command(app, "score",
                  "Print how well a model predicts a text: negative log-likelihood and perplexity",
                  "speclab score --file experiments/papers/README.md --dtype float32", score,
                  run_score, status);
  add_model_options(score_command, score.common);
  add_score_options(score_command, score);
  VerifyOptions verify;
  add_verify_options(
      add_command(app, "verify",
                  "Check that speculation keeps the output law, with your models and settings",
                  "speclab verify --drafter prompt_lookup --temperature 0.8", verify, run_verify,
                  status),
      verify);
  ModelsOptions models;
  CLI::App* models_command = add_command(
      app, "models",
      "List the models known by name (scripts/fetch_model NAME brings those that are missing), or "
      "inspect one",
      "speclab models inspect smollm2-135m", models, run_models, status);
  CLI::App* inspect = models_command->add_subcommand("inspect", "Show one model");
  inspect->add_option("model", models.inspect, "Catalogue name, file or folder")->required();
  for (CLI::App* command : {models_command, inspect})
    command->add_flag("--json", models.common.json, "Print one JSON object");
  RunCommandOptions run;
  CLI::App* run_command =
      add_command(app, "run", "Run an experiment: predict, measure, report",
                  "speclab run experiments/configs/quickstart.toml", run, run_run, status);
  add_run_options(run_command, run);
  run_command->footer(run_command->get_footer() + key_names_footer(described_run_keys()));
  ConfigCommandOptions config;
  CLI::App* config_command =
      add_command(app, "config", "Explain the keys of configs: type, range, default and meaning",
                  "speclab config --describe axes", config, run_config_command, status);
  CLI::Option* key = config_command->add_option(
      "key", config.key, "Only keys that begin with this, for example axes or axes.tree");
  config_command->add_flag("--describe", config.describe, "Print the keys (the default)");
  CLI::Option* as_json = config_command->add_flag("--json", config.json, "Print the keys as JSON");
  config_command
      ->add_flag("--markdown", config.markdown,
                 "Print all keys as tables for experiments/configs/README.md")
      ->excludes(as_json)
      ->excludes(key);
  ReportCommandOptions report;
  add_report_options(
      add_command(app, "report", "Make the report of a run folder, or draw the curves of trainings",
                  "speclab report results/runs/quickstart", report, run_report, status),
      report);
  CompareOptions compare;
  add_compare_options(
      add_command(app, "compare",
                  "Check that a head is not slower than a base: exit code 0 (SAME, FAST), 10 "
                  "(SLOW), 11 (AMBIGUOUS), 12 (INVALID)",
                  "speclab compare HEAD~1 HEAD --measure counts", compare, run_compare, status),
      compare);
  TrainCommandOptions train;
  add_train_options(
      add_command(
          app, "train",
          "Train a drafter on the target's own text or on text files, or a language model on "
          "text files",
          "speclab train --target qwen2.5-coder-0.5b --kind ngram\n         speclab train "
          "experiments/configs/train_smollm2_drafter.toml",
          train, run_train, status),
      train);
  PredictOptions predict;
  add_predict_options(
      add_command(
          app, "predict",
          "Predict the speed-up over speculation lengths from acceptance and costs; needs no model",
          kPredictExamples, predict, run_predict, status),
      predict);
  ReproduceOptions reproduce;
  add_reproduce_options(
      add_command(app, "reproduce",
                  "Rebuild tables and figures of papers, our numbers beside theirs",
                  kReproduceExamples, reproduce, run_reproduce, status),
      reproduce);
  SummaryOptions summary;
  add_command(app, "summary", "Print the figures of the first README from committed tables",
              "speclab summary", summary, run_summary, status)
      ->add_option(
          "folder", summary.folder,
          "Folder of committed runs, like results/reference; if not given, the one that came with "
          "the program")
      ->check(not_empty());
  add_page_commands(app);
  expand_homes(app);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_after_parse_error(app, error);
  }
  return status;
}

/// Why standard output takes nothing more. @param number  of the error, as errno has it
std::string output_problem(int number) {
  return number == EPIPE ? "standard output: its reader has ended before the last line"
                         : "standard output: cannot write; free space where it goes";
}

/// What was printed must have arrived: a full disk behind a redirection is noticed only here.
void flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw WriteError(output_problem(errno));
}

/// Names of files and options may hold what a terminal would obey. Lines and tabs are ours.
std::string without_control_bytes(const std::string& text) {
  std::string safe;
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Head head = utf8_head(rest);
    const std::string_view piece =
        rest.substr(0, head.state == Utf8State::complete ? head.length : 1);
    if (piece == "\n" || piece == "\t" ||
        (head.state == Utf8State::complete && is_printable(piece)))
      safe += piece;
    else
      for (const char byte : piece)
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    rest.remove_prefix(piece.size());
  }
  return safe;
}

int exit_after_error(const std::exception& error) {
  if (std::ferror(stdout)) {
    const auto* failed = dynamic_cast<const std::system_error*>(&error);
    std::fprintf(stderr, "speclab: %s\n",
                 output_problem(failed ? failed->code().value() : 0).c_str());
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
    std::fprintf(stderr, "speclab: %s\n", without_control_bytes(error.what()).c_str());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "speclab: not enough memory; use a smaller model, batch or context\n");
    return static_cast<int>(ExitCode::internal);
  } catch (const std::filesystem::filesystem_error& error) {
    std::fprintf(stderr, "speclab: %s: %s\n", escaped(error.path1().string(), 1000).c_str(),
                 error.code().message().c_str());
    return static_cast<int>(ExitCode::corrupt_results);
  } catch (const std::exception& error) {
    return exit_after_error(error);
  }
}

}  // namespace speclab::experiments
