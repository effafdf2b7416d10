#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/config/key_reference.h"
#include "experiments/drivers/config/run_schema.h"
#include "experiments/drivers/config/train_schema.h"
#include "experiments/drivers/train/training_sizes.h"

namespace speclab::experiments {
namespace {

void add_slurm_options(CLI::App* command, RunCommandOptions& options, CLI::Option* workers) {
  CLI::Option* slurm =
      command
          ->add_flag("--slurm", options.slurm,
                     "Measure missing work in a Slurm job array; the nodes must share the folder")
          ->excludes(workers);
  command
      ->add_flag("--detach", options.on_slurm.detach, "Submit without waiting; a second call waits")
      ->needs(slurm);
  add_number(command, "--slurm-tasks", options.on_slurm.tasks, "Tasks of the array at most")
      ->check(takes("1 to 10000"))
      ->needs(slurm);
  command->add_option("--slurm-partition", options.on_slurm.partition, "sbatch --partition")
      ->needs(slurm);
  command->add_option("--slurm-time", options.on_slurm.time, "sbatch --time of a task")
      ->needs(slurm);
  command
      ->add_option("--slurm-args", options.on_slurm.arguments,
                   "Further arguments of sbatch, for example '--mem=4G --account=x'")
      ->needs(slurm);
}

/// The config, the folder, and what is done in it.
void add_plan_options(CLI::App* command, RunCommandOptions& options) {
  command->add_option("config", options.config, "TOML file, or the manifest.toml of a run")
      ->required();
  command
      ->add_option("--set", options.settings,
                   "key=value that overrides the config, for example axes.temperature=[0.0,1.0]; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_option("--output", options.output, "Run folder; results/runs/NAME if not given")
      ->check(not_empty());
  CLI::Option* dry_run = command->add_flag(
      "--dry-run", options.dry_run,
      "Check the config and its models, without their weights, and list the cells");
  command
      ->add_option("--times-from", options.times_from,
                   "Run folder from which --dry-run estimates the time. The default is the run's "
                   "own rows, else a committed run of equal models and drafters")
      ->needs(dry_run);
  command
      ->add_option("--machine", options.machine,
                   "Keep the costs as those of this machine, in results/machines/NAME; speclab "
                   "predict --machine NAME composes them with drafters")
      ->check(not_empty());
  command->add_flag("--yes", options.yes,
                    fmt::format("Run a sweep of more than {} generations", kMostWithoutYes));
  command->add_flag("!--no-report", options.report, "Make no report at the end");
  command->add_flag("--json", options.json,
                    "Print one JSON object at the end, also of a run that fails: folder, status, "
                    "exit_code, report, answer, counts; with --dry-run the plan");
}

/// Work that is there already.
void add_resume_options(CLI::App* command, RunCommandOptions& options) {
  command->add_flag(
      "--repair", options.repair,
      "Move a damaged journal aside, measure lost work again and rewrite changed files");
  command->add_flag("--retry-failed", options.retry_failed,
                    "Try once more the generations that failed twice");
  command->add_flag("--allow-mixed", options.allow_mixed,
                    "Continue with another program, machine, device, number format or model file; "
                    "manifest and times.csv note the origin of each row");
  command->add_flag(
      "--allow-network-folder", options.allow_network_folder,
      "Run in a folder on a network file system; locks may not hold between machines there");
  command->add_flag("--into-used-folder", options.into_used_folder,
                    "Write into a folder that holds files of something else");
}

/// Options that only the gate on revisions and build folders takes.
std::vector<CLI::Option*> add_build_gate_options(CLI::App* command, BuildGateOptions& builds) {
  const std::map<std::string, Measure> measures{
      {"both", Measure::both}, {"times", Measure::times}, {"counts", Measure::counts}};
  CLI::Option* measure = command->add_option(
      "--measure", builds.measure, "times need a quiet machine, counts of instructions do not");
  measure->transform(CLI::CheckedTransformer(measures).description("{both,times,counts}"))
      ->default_str("both");
  CLI::Option* families =
      command
          ->add_option("--families", builds.families,
                       "Families of benchmarks, for example samplers,parsers; all if not given")
          ->delimiter(',');
  CLI::Option* slowdown = command->add_option(
      "--planted-slowdown", builds.planted_slowdown,
      "Extra share of work for the head, for example 0.05, to see that the gate finds it");
  CLI::Option* output =
      command
          ->add_option(
              "--output", builds.output,
              "Folder for the rows of every pair; --replay draws the verdicts from it again")
          ->check(not_empty());
  return {add_number(command, "--pairs", builds.pairs,
                     "Pairs of processes; an unclear benchmark gets as many again")
              ->check(takes("1 to 5000")),
          add_number(command, "--repetitions", builds.repetitions,
                     "Repetitions of a benchmark in a process; the least time counts")
              ->check(takes("1 to 1000")),
          families,
          measure,
          slowdown->check(whole_number<double>())->check(takes("0 to 1")),
          add_number(command, "--seed", builds.seed, "Seed of the order within pairs"),
          output};
}

/// Names of those given on the command line.
std::vector<std::string> given(const std::vector<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    if (option->count() > 0) names.push_back(option->get_name());
  return names;
}

}  // namespace

void add_run_options(CLI::App* command, RunCommandOptions& options) {
  add_plan_options(command, options);
  add_resume_options(command, options);
  add_number(command, "--timeout-s", options.generation_timeout_s,
             "Seconds after which a measured generation has failed; 0 is no limit")
      ->check(takes("0 to 1e6"));
  CLI::Option* workers =
      add_number(command, "--workers", options.workers,
                 "Processes that measure at once and share the threads, so that a crash costs one "
                 "generation only; 0 measures in this process")
          ->check(takes("0 to 1024"));
  add_slurm_options(command, options, workers);
  command->add_option("--role", options.role)
      ->check(CLI::IsMember({"prepare", "work", "task", "merge"}))
      ->group("");
  command->add_option("--shard", options.shard)->check(whole_number<int>())->group("");
  command->footer(command->get_footer() + key_names_footer(described_run_keys()));
}

void add_config_options(CLI::App* command, ConfigCommandOptions& options) {
  CLI::Option* key = command->add_option(
      "key", options.key, "Only keys that begin with this, for example axes or axes.tree");
  command->add_flag("--describe", options.describe, "Print the keys (the default)");
  CLI::Option* as_json = command->add_flag("--json", options.json, "Print the keys as JSON");
  command
      ->add_flag("--markdown", options.markdown,
                 "Print all keys as tables for experiments/configs/README.md")
      ->excludes(as_json)
      ->excludes(key);
}

void add_summary_options(CLI::App* command, SummaryOptions& options) {
  command
      ->add_option(
          "folder", options.folder,
          "Folder of committed runs, like results/reference; if not given, the one that came with "
          "the program")
      ->check(not_empty());
}

void add_report_options(CLI::App* command, ReportCommandOptions& options) {
  command
      ->add_option(
          "folder", options.folders,
          "Run folder, finished or not. A folder without rows, like a committed one, lists "
          "the missing tables and the figures that need them. Or folders of trainings, to "
          "draw their curves")
      ->required();
  command
      ->add_option("--output", options.output,
                   "Folder for page, figures and tables of the report, so that the run folder is "
                   "not touched; of trainings for the figures (required for several; else "
                   "FOLDER/figures)")
      ->check(not_empty());
  command->add_flag("--into-used-folder", options.into_used_folder,
                    "Write into a folder that holds files of something else");
  command->add_flag("--stages", options.are_stages,
                    "The trainings are stages of one, in this order: draw one curve with a line "
                    "for each drafted token");
  command->add_option("--plotly", options.plotly_js,
                      "plotly.min.js; if not given, the one from scripts/setup");
  command->add_flag("!--no-static-figures", options.static_figures, "Draw no PDF, PNG and SVG");
}

void add_train_options(CLI::App* command, TrainCommandOptions& options) {
  CLI::Option* config = command->add_option("config", options.config, "TOML file");
  CLI::Option* set =
      command
          ->add_option("--set", options.settings,
                       "key=value that overrides the config, for example drafter.num_heads=4; may "
                       "be repeated")
          ->allow_extra_args(false);
  CLI::Option* target =
      command
          ->add_option(
              "--target", options.target,
              "In place of a config: the target to draft for, as --model of generate names "
              "it; sizes are chosen so that the training ends within --minutes")
          ->check(not_empty())
          ->excludes(config)
          ->excludes(set);
  command->add_option("--kind", options.kind, "Drafter for --target")
      ->check(takes_one_of(kKindsByMinutes))
      ->needs(target);
  add_number(
      command, "--minutes", options.minutes,
      "Minutes that the training for --target may take, without the acceptance at its end; if "
      "not given, 10 for ngram and 60 for feature_transformer")
      ->needs(target);
  command
      ->add_option(
          "--output", options.output,
          "Folder of the drafter, instead of drafter.output; with --target, instead of "
          "results/runs/NAME-KIND. The training writes its next version there: v1, v2, ...")
      ->check(not_empty());
  command->add_flag(
      "--overwrite", options.overwrites,
      "Replace a finished drafter without versions, or a training that another call began; without "
      "this option that is refused. A finished version is never replaced");
  command->add_flag("--into-used-folder", options.into_used_folder,
                    "Write into a folder that holds files of something else");
  command->footer(command->get_footer() + key_names_footer(described_train_keys()));
}

void add_compare_options(CLI::App* command, CompareOptions& options) {
  CLI::Option* base = command->add_option(
      "base", options.base,
      "Base: revision of this repository, build folder with a suite_bench, or run folder");
  CLI::Option* head = command->add_option("head", options.head, "Head: another one of that kind");
  const std::vector<CLI::Option*> of_builds = add_build_gate_options(command, options.builds);
  CLI::Option* of_runs = command
                             ->add_option("--largest-drop", options.runs.largest_drop,
                                          "Largest fall of the acceptance rate that two run "
                                          "folders may show and still be called the same")
                             ->check(whole_number<double>())
                             ->check(takes("above 0, below 1"))
                             ->capture_default_str();
  CLI::Option* replay =
      command
          ->add_option("--replay", options.replay, "Folder of an earlier gate; nothing is measured")
          ->check(not_empty());
  CLI::Option* power =
      command
          ->add_option("--power", options.power,
                       "Folders of outputs of a build with itself, 40 pairs or more together; "
                       "shows the slow-downs that gates drawn from them find, and measures nothing")
          ->check(not_empty())
          ->excludes(replay);
  for (CLI::Option* reader : {replay, power}) {
    for (CLI::Option* option : {base, head, of_runs}) reader->excludes(option);
    for (CLI::Option* option : of_builds) reader->excludes(option);
  }
  command->parse_complete_callback([&options, of_builds, of_runs] {
    options.given_of_builds = given(of_builds), options.given_of_runs = given({of_runs});
  });
  command->add_flag("--json", options.json, "Print one JSON object");
}

}  // namespace speclab::experiments
