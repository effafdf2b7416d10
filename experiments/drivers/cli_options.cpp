#include "experiments/drivers/cli_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/names.h"
#include "experiments/drivers/cli_numbers.h"
#include "experiments/drivers/config/named_drafters.h"

namespace speclab::experiments {

void add_model_choice(CLI::App* command, std::string& model) {
  command->add_option("--model", model, "Catalogue name, GGUF file or checkpoint folder")
      ->capture_default_str();
}

void add_model_options(CLI::App* command, CommonOptions& common) {
  add_model_choice(command, common.model.model);
  command->add_option("--device", common.model.device, "auto, cpu or cuda")->capture_default_str();
  command->add_option("--dtype", common.model.dtype, "auto, float32 or bfloat16")
      ->capture_default_str();
  command
      ->add_option("--arithmetic", common.model.arithmetic,
                   "fast or row_invariant (which the kernels always are)")
      ->capture_default_str();
  add_number(command, "--threads", common.model.threads, "Threads; 0 is all cores");
  command->add_flag("--json", common.json, "Print one JSON object");
}

namespace {

void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder) {
  add_number(command, "--max-new-tokens", decoder.stop.max_new_tokens,
             "Tokens to generate at most");
  add_number(command, "--temperature", decoder.sampling.temperature, "0 is greedy");
  add_number(command, "--top-k", decoder.sampling.top_k, "Keep the k most likely tokens; 0 is off");
  add_number(command, "--top-p", decoder.sampling.top_p,
             "Keep the smallest set of this mass; 1 is off");
  add_number(command, "--min-p", decoder.sampling.min_p,
             "Keep tokens at least this likely relative to the best; 0 is off");
  add_number(command, "--repetition-penalty", decoder.sampling.repetition_penalty,
             "Divides scores of tokens seen before; 1 is off");
  add_number(command, "--no-repeat-ngram-size", decoder.sampling.no_repeat_ngram_size,
             "No n-gram of this size twice; 0 is off");
  add_number(command, "--min-length", decoder.sampling.min_length,
             "No end of sequence before this length, prompt included; 0 is off");
  command
      ->add_option("--suppress-tokens", decoder.sampling.suppress_tokens,
                   "Ids that are never generated: 1,2,3")
      ->delimiter(',')
      ->check(whole_number<Token>());
  add_number(command, "--typical-p", decoder.sampling.typical_p,
             "Keep the most typical tokens of this mass; 1 is off");
  add_number(command, "--epsilon-cutoff", decoder.sampling.epsilon_cutoff,
             "Keep tokens at least this likely; 0 is off");
  add_number(command, "--eta-cutoff", decoder.sampling.eta_cutoff,
             "The same, less where the law is flat; 0 is off");
  command->add_flag("--ignore-eos", decoder.stop.ignore_eos,
                    "Do not stop at the end-of-sequence token");
  command->add_option("--stop", decoder.stop.stop_strings,
                      "Stop before this text; may be repeated");
}

engines::DrafterOptions part_of_kind(const std::string& text) {
  const PartName part = parse_part(text);
  return {.kind = part.drafter, .weight = part.weight};
}

void add_drafter_options(CLI::App* command, engines::DecoderOptions& decoder) {
  command
      ->add_option("--drafter", decoder.drafter.kind,
                   fmt::format("plain, {}", fmt::join(engines::kDrafterKinds, ", ")))
      ->capture_default_str();
  command->add_option("--drafter-model", decoder.drafter.model,
                      "Folder of a transformer, n-gram model of the others or its folder; the "
                      "project's own where empty");
  command
      ->add_option_function<std::vector<std::string>>(
          "--drafter-parts",
          [&decoder](const std::vector<std::string>& parts) {
            for (const std::string& text : parts)
              decoder.drafter.parts.push_back(part_of_kind(text));
          },
          "Of --drafter mixture: the kinds that it mixes, KIND or KIND:WEIGHT, with commas; "
          "prompt_lookup from two tokens on")
      ->delimiter(',');
  command
      ->add_option(
          "--tree", decoder.drafter.tree,
          "chain; children a level as in 2x2x1, or parents:0,0,1; best_first:NODES or beam:NODES "
          "of the likeliest tokens, :CHILDREN behind it, of best_first also a level as in "
          "best_first:30:5x3x2; best_first:adaptive with the policy's length as nodes; "
          "suffixes:5:5x3x2, the five likeliest paths of that many levels. Of drafters with a law")
      ->capture_default_str();
}

/// A setting of a rule that is not used would be ignored in silence.
void check_rule_settings(const CLI::App* command, const std::string& verifier) {
  for (const auto& [option, rule] :
       {std::pair("--lenience", "lenient"), std::pair("--lenient-residual", "lenient"),
        std::pair("--typical-epsilon", "typical"), std::pair("--typical-delta", "typical")})
    if (command->count(option) > 0 && verifier != rule)
      throw ConfigError(fmt::format("{}: --verifier is {}; allowed: only with --verifier {}",
                                    option, escaped(verifier, 40), rule));
}

void add_verifier_options(CLI::App* command, engines::DecoderOptions& decoder) {
  command->parse_complete_callback(
      [command, &decoder] { check_rule_settings(command, decoder.verifier); });
  command
      ->add_option("--verifier", decoder.verifier,
                   fmt::format("{}; lenient and typical change the output law",
                               fmt::join(engines::kUserVerifierKinds, ", ")))
      ->capture_default_str();
  add_number(command, "--lenience", decoder.lossy.lenience,
             "Verifier lenient: accept with p/(lenience q); 1 is exact");
  command
      ->add_option_function<std::string>(
          "--lenient-residual",
          [&decoder](const std::string& form) {
            decoder.lossy.lenient_residual =
                form == "full" ? LenientResidual::full : LenientResidual::lenient;
          },
          "Verifier lenient: a rejection leaves p - q (full) or p - lenience q (lenient)")
      ->check(CLI::IsMember({"full", "lenient"}))
      ->default_str("full");
  add_number(command, "--typical-epsilon", decoder.lossy.typical_epsilon,
             "Verifier typical: accept above min(epsilon, delta exp(-entropy))");
  add_number(command, "--typical-delta", decoder.lossy.typical_delta,
             "Verifier typical: see --typical-epsilon");
}

}  // namespace

void add_generate_options(CLI::App* command, GenerateOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.decoder);
  CLI::Option* prompt = command->add_option(
      "--prompt", options.prompt,
      "The prompt; standard input where none is given, less a newline at its end");
  CLI::Option* file = command
                          ->add_option("--prompt-file", options.prompt_file,
                                       "File with the prompt, less a newline at its end")
                          ->excludes(prompt);
  command->add_option("--prompt-ids", options.prompt_ids, "Prompt as token ids: 1,2,3")
      ->excludes(prompt)
      ->excludes(file);
  command->add_flag("!--no-chat-template", options.chat_template, "Use the text as it is");
  command
      ->add_option("--rounds", options.common.model.rounds,
                   "host, or device: whole rounds on the CUDA device, of chains and of trees of a "
                   "fixed shape as 3x2x1, where a small transformer drafts")
      ->capture_default_str();
  command->add_flag("--side-by-side", options.side_by_side,
                    "Plain decoding first, then speculative");
  command->add_flag("--draw-trees", options.draw_trees,
                    "Draw the draft of every round with what was accepted, q of the drafter where "
                    "tokens are drawn and p of the target; the text comes at the end");
  add_drafter_options(command, options.decoder);
  add_verifier_options(command, options.decoder);
  add_number(command, "--seed", options.common.seed, "Seed of all draws");
  const auto set_policy = [&options](const int& length) {
    options.policy = "constant:" + std::to_string(length);
  };
  CLI::Option* length = command
                            ->add_option_function<int>("--speculation-length", set_policy,
                                                       "Tokens drafted a round (4)")
                            ->check(whole_number<int>());
  command
      ->add_option(
          "--policy", options.policy,
          "constant:N, heuristic, confidence, confidence:P or confidence:P:N (chains up to N, 20, "
          "ended behind the first token that the drafter holds less likely than P, 0.4), tracking, "
          "tracking:C or tracking:C:N (the best length up to N, 20, for the acceptance rate so far "
          "where a drafted token costs C, 0.05, of a step), or auto, which measures costs first")
      ->excludes(length);
}

void add_verify_options(CLI::App* command, VerifyOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.decoder);
  add_drafter_options(command, options.decoder);
  add_verifier_options(command, options.decoder);
  add_number(command, "--seed", options.common.seed, "Seed of all draws");
  add_number(command, "--speculation-length", options.speculation_length, "Tokens drafted a round");
  CLI::Option* prompts = add_number(command, "--prompts-per-category", options.prompts_per_category,
                                    "Of the seven categories of the project's prompts");
  command->add_option("--prompt-ids", options.prompt_ids, "One prompt instead, as token ids: 1,2,3")
      ->excludes(prompts);
  command->add_flag("!--no-chat-template", options.chat_template, "Use the text as it is");
}

namespace {

void add_slurm_options(CLI::App* command, RunCommandOptions& options, CLI::Option* workers) {
  CLI::Option* slurm = command
                           ->add_flag("--slurm", options.slurm,
                                      "Measure in a Slurm job array, of what is missing; the "
                                      "folder is shared among the nodes")
                           ->excludes(workers);
  command
      ->add_flag("--detach", options.on_slurm.detach,
                 "Submit and do not wait; the same command waits")
      ->needs(slurm);
  add_number(command, "--slurm-tasks", options.on_slurm.tasks, "Tasks of the array at most")
      ->needs(slurm);
  command->add_option("--slurm-partition", options.on_slurm.partition, "sbatch --partition")
      ->needs(slurm);
  command->add_option("--slurm-time", options.on_slurm.time, "sbatch --time of a task")
      ->needs(slurm);
  command
      ->add_option("--slurm-args", options.on_slurm.arguments,
                   "Further arguments of sbatch, as in '--mem=4G --account=x'")
      ->needs(slurm);
}

}  // namespace

void add_run_options(CLI::App* command, RunCommandOptions& options) {
  command->add_option("config", options.config, "TOML file, or the manifest.toml of a run")
      ->required();
  command
      ->add_option("--set", options.settings,
                   "key=value over the config, as in axes.temperature=[0.0,1.0]; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--output", options.output, "Run folder; results/runs/NAME where not given")
      ->check(not_empty());
  CLI::Option* dry_run =
      command->add_flag("--dry-run", options.dry_run, "Check the config and list what would run");
  command
      ->add_option("--times-from", options.times_from,
                   "Run folder whose pace --dry-run estimates the time from; else the run's own "
                   "rows, else committed ones of the same models and drafters")
      ->needs(dry_run);
  command->add_flag("--yes", options.yes,
                    fmt::format("Run a sweep of more than {} generations", kMostWithoutYes));
  command->add_flag("!--no-report", options.report, "Make no report at the end");
  command->add_flag(
      "--repair", options.repair,
      "Keep a damaged journal aside, measure anew what it lost, write changed files again");
  command->add_flag("--retry-failed", options.retry_failed,
                    "Try generations that failed twice once more");
  command->add_flag("--allow-mixed", options.allow_mixed,
                    "Go on also with another program, machine, device, number format or model "
                    "bytes; manifest and times.csv say which row is from which");
  command->add_flag(
      "--allow-network-folder", options.allow_network_folder,
      "Run in a folder on a network file system, where locks may not hold between machines");
  add_number(command, "--timeout-s", options.generation_timeout_s,
             "A generation that takes longer has failed; 0 is no limit");
  CLI::Option* workers = add_number(command, "--workers", options.workers,
                                    "Processes that measure at once and share the threads; a crash "
                                    "costs a generation. 0: this process");
  add_slurm_options(command, options, workers);
  command->add_option("--role", options.role)
      ->check(CLI::IsMember({"prepare", "work", "task", "merge"}))
      ->group("");
  command->add_option("--shard", options.shard)->check(whole_number<int>())->group("");
}

namespace {

/// What only the gate on revisions and build folders takes.
std::vector<CLI::Option*> add_build_gate_options(CLI::App* command, BuildGateOptions& builds) {
  const std::map<std::string, Measure> measures{
      {"both", Measure::both}, {"times", Measure::times}, {"counts", Measure::counts}};
  CLI::Option* measure = command->add_option(
      "--measure", builds.measure,
      "times, which need a quiet machine; counts of instructions, which do not; or both");
  measure->transform(CLI::CheckedTransformer(measures).description("both, times or counts"))
      ->default_str("both");
  CLI::Option* families =
      command
          ->add_option("--families", builds.families,
                       "Of benchmarks, as in samplers,parsers; all where not given")
          ->delimiter(',');
  CLI::Option* slowdown = command->add_option(
      "--planted-slowdown", builds.planted_slowdown,
      "Share of work that the head does more, as 0.05: to see that the gate finds it");
  CLI::Option* output =
      command
          ->add_option(
              "--output", builds.output,
              "Folder for the rows of every pair, from which --replay draws the verdicts again")
          ->check(not_empty());
  return {add_number(command, "--pairs", builds.pairs,
                     "Pairs of processes; what stays unclear gets as many again"),
          add_number(command, "--repetitions", builds.repetitions,
                     "Of a benchmark in a process, of which the least counts"),
          families,
          measure,
          slowdown->check(whole_number<double>()),
          add_number(command, "--seed", builds.seed, "Of the order within pairs"),
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
      "Revision of the repository here, build folder with a suite_bench, or run folder");
  CLI::Option* head = command->add_option("head", options.head, "The same");
  const std::vector<CLI::Option*> of_builds = add_build_gate_options(command, options.builds);
  CLI::Option* of_runs = command
                             ->add_option("--largest-drop", options.runs.largest_drop,
                                          "Of run folders: fall of the acceptance rate that two "
                                          "runs called the same must exclude")
                             ->check(whole_number<double>())
                             ->capture_default_str();
  CLI::Option* replay =
      command
          ->add_option("--replay", options.replay, "Folder of an earlier gate; nothing is measured")
          ->check(not_empty());
  CLI::Option* power =
      command
          ->add_option("--power", options.power,
                       "Folders of outputs of a build with itself, 40 pairs or more together: what "
                       "gates drawn from them find; nothing is measured")
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

void add_report_options(CLI::App* command, ReportCommandOptions& options) {
  command
      ->add_option(
          "folder", options.folders,
          "Run folder, also while it is measured, or a committed one: the report then lists the "
          "missing tables and the figures that it cannot draw; or folders of trainings, whose "
          "curves are drawn")
      ->required();
  command
      ->add_option(
          "--output", options.output,
          "Folder of the figures of trainings (needed for several, FOLDER/figures for one if not "
          "given), or of the page of a run that has not ended (the run folder if not given)")
      ->check(not_empty());
  command->add_flag(
      "--stages", options.are_stages,
      "The trainings are stages of one, in this order: one curve, a line a drafted token");
  command->add_option("--plotly", options.plotly_js,
                      "plotly.min.js; where scripts/setup puts it if not given");
  command->add_flag("!--no-static-figures", options.static_figures, "Draw no PDF, PNG and SVG");
}

}  // namespace speclab::experiments
