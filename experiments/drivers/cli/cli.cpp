// The program: parses the command line, runs the command, maps errors to exit codes.

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>

#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/cli/cli_pages.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

/// A command: its name and help, its options, and the function that acts on them.
struct Command {
  const char *name, *description, *example;
  std::function<void(CLI::App*, int& status)> add;
};

/// @param run  acts after parsing; the options live as long as the program that parses them
template <typename Options>
Command command(const char* name, const char* description, const char* example,
                void (*add_options)(CLI::App*, Options&), int (*run)(const Options&)) {
  return {name, description, example, [=](CLI::App* app, int& status) {
            const auto options = std::make_shared<Options>();
            add_options(app, *options);
            app->callback([options, run, &status] { status = run(*options); });
          }};
}

const Command kCommands[] = {
    command("generate", "Generate text with any drafter",
            "speclab generate --drafter prompt_lookup --side-by-side --prompt 'Hello'",
            add_generate_options, run_generate),
    command("tokenize", "Turn text into token ids, line by line, or a conversation",
            "echo '\"Hello\"' | speclab tokenize", add_tokenize_options, run_tokenize),
    command("law",
            "Print the law that sampling settings make of logits, one JSON line after the other",
            "echo '{\"logits\": [1, 2, null], \"top_p\": 0.9}' | speclab law", add_law_options,
            run_law),
    command("score",
            "Print how well a model predicts a text: negative log-likelihood and perplexity",
            "speclab score --file experiments/papers/README.md --dtype float32", add_score_options,
            run_score),
    command("verify", "Check that speculation keeps the output law, with your models and settings",
            "speclab verify --drafter prompt_lookup --temperature 0.8", add_verify_options,
            run_verify),
    command(
        "models",
        "List the models known by name (scripts/fetch_model NAME brings those that are missing), "
        "or inspect one",
        "speclab models inspect smollm2-135m", add_models_options, run_models),
    command("run", "Run an experiment: predict, measure, report",
            "speclab run experiments/configs/quickstart.toml\n"
            "         speclab run experiments/configs/cost_surface.toml --machine desk",
            add_run_options, run_run),
    command("config", "Explain the keys of configs: type, range, default and meaning",
            "speclab config --describe axes", add_config_options, run_config_command),
    command("report", "Make the report of a run folder, or draw the curves of trainings",
            "speclab report results/runs/quickstart", add_report_options, run_report),
    command("compare",
            "Check that a head is not slower than a base: exit code 0 (SAME, FAST), 10 (SLOW), 11 "
            "(AMBIGUOUS), 12 (INVALID)",
            "speclab compare HEAD~1 HEAD --measure counts", add_compare_options, run_compare),
    command(
        "train",
        "Train a drafter on the target's own text or on text files, or a language model on text "
        "files",
        "speclab train --target qwen2.5-coder-0.5b --kind ngram\n"
        "         speclab train experiments/configs/train_smollm2_drafter.toml",
        add_train_options, run_train),
    command(
        "predict",
        "Predict the speed-up over speculation lengths from acceptance and costs; needs no model",
        "speclab predict --acceptance-rate 0.8 --cost-ratio 0.05\n"
        "         speclab predict --acceptance-rate 0.75:0.70:0.80 --cost-ratio 0.05:0.04:0.06 "
        "--plot speedup.svg\n"
        "         speclab predict --trace results/runs/quickstart/rounds.csv --costs "
        "results/runs/quickstart/costs.csv --drafter prompt_lookup --temperature 0\n"
        "         speclab predict --rank-acceptance 0.7,0.11,0.04 --cost-ratio 0.02 --tree-budget "
        "16 --json\n"
        "         speclab predict --observed results/runs/drafter_acceptance --drafter ngram "
        "--temperature 0 --costs results/runs/quickstart/costs.csv --tree-budget 8\n"
        "         speclab predict --machine desk --drafter smollm2-drafter --temperature 0",
        add_predict_options, run_predict),
    command("reproduce", "Rebuild tables and figures of papers, our numbers beside theirs",
            "speclab reproduce leviathan_figure_3\n"
            "         speclab reproduce --all-analytic --output results/runs/reproduce\n"
            "         speclab reproduce metric_crosswalk --metric vllm.mean_acceptance_length=2.25 "
            "--metric speculation_length=3",
            add_reproduce_options, run_reproduce),
    command("summary", "Print the figures of the first README from committed tables",
            "speclab summary", add_summary_options, run_summary),
};

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
  for (const Command& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.description);
    command->footer(std::string("Example: ") + row.example);
    row.add(command, status);
  }
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

/// Checks that the printed text arrived: a full disk behind a redirection is noticed only here.
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

/// A standard descriptor that is closed would be given to the next file opened, and messages would
/// go into it. Standard output is opened for reading only, so that what is printed there still
/// fails.
void open_closed_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
}

}  // namespace
}  // namespace speclab::experiments

int main(int argc, char** argv) {
  speclab::experiments::open_closed_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is an error of the write, with
                                  // its message and exit code
  return speclab::experiments::run_cli(argc, argv);
}
