#include <map>
#include <string>
#include <vector>

#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"

namespace speclab::experiments {
namespace {

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
