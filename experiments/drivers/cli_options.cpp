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

void add_score_options(CLI::App* command, ScoreOptions& options) {
  CLI::Option* file = command->add_option("--file", options.file, "Text to score");
  command->add_option("--prompt-ids", options.prompt_ids, "Token ids to score: 1,2,3")
      ->excludes(file);
  command->add_option("--logits", options.logits,
                      "Write the logits after every token to this .npy file: float32, [tokens, "
                      "vocabulary]");
}

void add_model_options(CLI::App* command, CommonOptions& common) {
  add_model_choice(command, common.model.model);
  command->add_option("--model-name", common.model.name,
                      "Name that tables show; if none is given, the last part of the path");
  command->add_option("--device", common.model.device, "auto, cpu or cuda")->capture_default_str();
  command->add_option("--dtype", common.model.dtype, "auto, float32 or bfloat16")
      ->capture_default_str();
  command
      ->add_option("--arithmetic", common.model.arithmetic,
                   "fast or row_invariant; the kernels are always row-invariant")
      ->capture_default_str();
  command
      ->add_option("--kernels", common.model.kernels,
                   "auto, or reference: plain libtorch operations on the CPU or a GPU, the slow "
                   "truth that the kernels are tested against")
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
             "Penalty on the scores of tokens seen before; 1 is off");
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
             "Keep tokens at least this likely, with a lower limit if the law is flat; 0 is off");
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
  command->add_option(
      "--drafter-model", decoder.drafter.model,
      "Folder of the drafter's model, or file of n-grams; the project's own if empty");
  command
      ->add_option_function<std::vector<std::string>>(
          "--drafter-parts",
          [&decoder](const std::vector<std::string>& parts) {
            for (const std::string& text : parts)
              decoder.drafter.parts.push_back(part_of_kind(text));
          },
          "Kinds that --drafter mixture mixes: KIND or KIND:WEIGHT, with commas; prompt_lookup "
          "then needs a suffix of two tokens")
      ->delimiter(',');
  command
      ->add_option(
          "--tree", decoder.drafter.tree,
          "chain; children a level (2x2x1), or parents:0,0,1; best_first:NODES or beam:NODES for "
          "the likeliest tokens, also with :CHILDREN. best_first:30:5x3x2 limits the children a "
          "level; best_first:adaptive has as many nodes as the policy says. suffixes:5:5x3x2 takes "
          "the five likeliest paths. Trees need a drafter with a law")
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

namespace {

CLI::Option* add_messages_option(CLI::App* command, ChatOptions& chat) {
  return command->add_option(
      "--messages", chat.messages,
      "JSON file with an array of messages, as transformers takes them: role, content, and "
      "whatever else the model's chat template knows");
}

CLI::Option* add_tools_option(CLI::App* command, ChatOptions& chat) {
  return command->add_option("--tools", chat.tools,
                             "JSON file with an array of tools for the chat template");
}

}  // namespace

void add_tokenize_options(CLI::App* command, TokenizeOptions& options) {
  command
      ->add_option("--model", options.model,
                   "Catalogue name, GGUF file, folder, tokenizer.json or tokenizer.model")
      ->capture_default_str();
  CLI::Option* raw =
      command->add_flag("--raw", options.raw, "Lines are text as they are, not JSON strings");
  CLI::Option* decode =
      command->add_flag("--decode", options.decode, "Turn ids into text, special tokens included");
  CLI::Option* special = command->add_flag("--add-special-tokens", options.add_special_tokens,
                                           "Add what the tokenizer puts around a whole text");
  CLI::Option* messages = add_messages_option(command, options.chat);
  for (CLI::Option* of_lines : {raw, decode, special}) messages->excludes(of_lines);
  add_tools_option(command, options.chat)->needs(messages);
  command
      ->add_option("--template", options.template_file,
                   "Jinja file in place of the model's own chat template; with --text no model is "
                   "loaded")
      ->needs(messages);
  command
      ->add_option("--template-variables", options.chat.variables,
                   "JSON file with an object of more variables: bos_token, documents, date_string")
      ->needs(messages);
  command
      ->add_flag("--add-generation-prompt", options.add_generation_prompt,
                 "Open the assistant's answer")
      ->needs(messages);
  command->add_flag("--text", options.text, "Print the rendered text, not its ids")
      ->needs(messages);
}

void add_generate_options(CLI::App* command, GenerateOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.decoder);
  CLI::Option* prompt =
      command->add_option("--prompt", options.prompt,
                          "The prompt; if none is given, standard input without a final newline");
  CLI::Option* file = command
                          ->add_option("--prompt-file", options.prompt_file,
                                       "File with the prompt; a final newline is dropped")
                          ->excludes(prompt);
  CLI::Option* ids =
      command->add_option("--prompt-ids", options.prompt_ids, "Prompt as token ids: 1,2,3")
          ->excludes(prompt)
          ->excludes(file);
  CLI::Option* raw = command->add_flag("!--no-chat-template", options.chat_template,
                                       "Use the text without a template");
  add_messages_option(command, options.chat)->excludes(prompt)->excludes(file);
  CLI::Option* system = command->add_option("--system", options.chat.system,
                                            "Text of a system message before the others");
  add_tools_option(command, options.chat);
  for (CLI::Option* raw_prompt : {ids, raw})
    raw_prompt->excludes("--messages")->excludes("--tools")->excludes(system);
  command
      ->add_option("--rounds", options.common.model.rounds,
                   "host; or device for whole rounds on the CUDA device, with chains or trees of a "
                   "fixed shape (3x2x1) from a small transformer")
      ->capture_default_str();
  command->add_flag("--side-by-side", options.side_by_side,
                    "Decode first plainly, then speculatively");
  command->add_flag("--draw-trees", options.draw_trees,
                    "Draw the draft of every round, its accepted tokens, the drafter's q (if "
                    "tokens are drawn) and the target's p; the text comes at the end");
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
      ->add_option("--policy", options.policy,
                   "constant:N; heuristic; confidence:P:N; tracking:C:N; or auto, which measures "
                   "costs first. confidence ends a chain behind the first token that the drafter "
                   "finds less likely than P (0.4), after N (20) at the latest. tracking takes the "
                   "best length up to N (20) for the acceptance rate so far, if a drafted token "
                   "costs C (0.05) of a step. P, C and N may be left out")
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
                                    "Prompts from each of the project's seven categories");
  command->add_option("--prompt-ids", options.prompt_ids, "One prompt instead, as token ids: 1,2,3")
      ->excludes(prompts);
  command->add_flag("!--no-chat-template", options.chat_template,
                    "Use the text without a template");
}

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

}  // namespace

void add_run_options(CLI::App* command, RunCommandOptions& options) {
  command->add_option("config", options.config, "TOML file, or the manifest.toml of a run")
      ->required();
  command
      ->add_option("--set", options.settings,
                   "key=value that overrides the config, for example axes.temperature=[0.0,1.0]; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_option("--output", options.output, "Run folder; results/runs/NAME if not given")
      ->check(not_empty());
  CLI::Option* dry_run =
      command->add_flag("--dry-run", options.dry_run, "Check the config and list the cells");
  command
      ->add_option("--times-from", options.times_from,
                   "Run folder from which --dry-run estimates the time. The default is the run's "
                   "own rows, else a committed run of equal models and drafters")
      ->needs(dry_run);
  command->add_flag("--yes", options.yes,
                    fmt::format("Run a sweep of more than {} generations", kMostWithoutYes));
  CLI::Option* no_report =
      command->add_flag("!--no-report", options.report, "Make no report at the end");
  command
      ->add_flag("--json", options.json,
                 "Print one JSON object at the end: folder, report, answer, details, cells")
      ->excludes(no_report)
      ->excludes(dry_run);
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
  add_number(command, "--timeout-s", options.generation_timeout_s,
             "Seconds after which a generation has failed; 0 is no limit");
  CLI::Option* workers =
      add_number(command, "--workers", options.workers,
                 "Processes that measure at once and share the threads, so that a crash costs one "
                 "generation only; 0 measures in this process");
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
      "times (they need a quiet machine), counts of instructions (they do not), or both");
  measure->transform(CLI::CheckedTransformer(measures).description("both, times or counts"))
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
                     "Pairs of processes; an unclear benchmark gets as many again"),
          add_number(command, "--repetitions", builds.repetitions,
                     "Repetitions of a benchmark in a process; the least time counts"),
          families,
          measure,
          slowdown->check(whole_number<double>()),
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
                   "Folder for the figures of trainings (required for several; else "
                   "FOLDER/figures), or for the page of an unfinished run (else the run folder)")
      ->check(not_empty());
  command->add_flag("--stages", options.are_stages,
                    "The trainings are stages of one, in this order: draw one curve with a line "
                    "for each drafted token");
  command->add_option("--plotly", options.plotly_js,
                      "plotly.min.js; if not given, the one from scripts/setup");
  command->add_flag("!--no-static-figures", options.static_figures, "Draw no PDF, PNG and SVG");
}

}  // namespace speclab::experiments
