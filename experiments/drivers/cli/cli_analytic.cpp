#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/predict/asked_answers.h"

namespace speclab::experiments {
namespace {

constexpr const char* kAcceptance = "Acceptance (one of)";
constexpr const char* kCosts = "Costs (ratios, or a file)";
constexpr const char* kComposed = "Costs of a machine, composed with counts of drafters";
constexpr const char* kPasses = "Passes and rounds on a GPU, by a rule";
constexpr const char* kQuestions = "Further questions";

std::string up_to(int most) { return fmt::format("1 to {}", most); }

void add_acceptance_options(CLI::App* command, PredictOptions& options) {
  command
      ->add_option("--acceptance-rate", options.acceptance_rate,
                   "accepted / tested drafts, 0 to 1; VALUE or VALUE:LOW:HIGH")
      ->group(kAcceptance);
  command
      ->add_option(
          "--trace", options.trace,
          "rounds.csv of a run; if rows.csv stands beside it, the interval is over prompts")
      ->group(kAcceptance);
  command
      ->add_option("--observed", options.observed,
                   "Run folder of the kind drafter_acceptance; it holds the acceptance of ranks "
                   "too, or of every place in its trees")
      ->group(kAcceptance);
  command
      ->add_option("--target-law,--p", options.target_law,
                   "File of the target's laws in the form that speclab law prints: one line of "
                   "probabilities for each prefix")
      ->group(kAcceptance);
  command
      ->add_option("--draft-law,--q", options.draft_law,
                   "File of the drafter's laws, with an equal number of lines")
      ->group(kAcceptance);
  command
      ->add_option("--rank-acceptance", options.rank_acceptance,
                   "Chances that child 1, 2, ... of a tree's node is the accepted one: "
                   "0.7,0.1,0.04; the first is the acceptance rate")
      ->group(kAcceptance);
}

void add_cost_options(CLI::App* command, PredictOptions& options) {
  command
      ->add_option("--cost-ratio", options.cost_ratio,
                   "c: one draft forward / one target forward of a token; VALUE or VALUE:LOW:HIGH")
      ->group(kCosts);
  command
      ->add_option("--verify-cost-ratio", options.verify_cost_ratio,
                   "v: target forward of a whole draft / of one token; 1 if not given")
      ->group(kCosts);
  command
      ->add_option("--overhead-ratio", options.overhead_ratio,
                   "o: the rest of a round / one target forward; 0 if not given")
      ->group(kCosts);
  command
      ->add_option("--costs", options.costs,
                   "costs.csv of a run instead of ratios; only its rows of one sequence are used")
      ->group(kCosts);
  command->add_option("--model", options.choice.model,
                      "Target to take from --costs, --trace, --observed and --machine");
  command->add_option("--drafter", options.choice.drafter,
                      "Drafter to take from --costs, --trace, --observed and --machine; there also "
                      "the name of a model that drafts");
  command->add_option(
      "--verifier", options.choice.verifier,
      "Verifier to take from --costs, --trace and --machine; beside --observed from --costs "
      "alone");
  command->add_option("--temperature", options.temperature,
                      "Temperature to take from --costs, --trace, --observed and --machine; 0 is "
                      "greedy");
  add_number(
      command, "--context", options.context,
      "Context to take from --costs, in tokens before the round; the middle one if not given. With "
      "--pass-of that of the pass; 512 and 2048 if not given, 192 with --rounds");
}

void add_composing_options(CLI::App* command, PredictOptions& options) {
  command
      ->add_option("--machine", options.machine,
                   "Costs that speclab run --machine NAME kept, or a folder with a costs.csv: "
                   "print speed-ups of --drafter, or of all drafters that it timed")
      ->group(kComposed);
  command
      ->add_option("--counts", options.counts,
                   "acceptance.csv of --drafter, instead of the one beside its newest version")
      ->group(kComposed);
  add_number(command, "--prompt-tokens", options.prompt_tokens,
             "Tokens of the prompt of a text (128)")
      ->check(takes("1 to 1000000"))
      ->group(kComposed);
}

void add_pass_options(CLI::App* command, PredictOptions& options) {
  command
      ->add_option("--pass-of", options.pass_of,
                   "Shapes, separated by commas: names such as shape-8b, or "
                   "HIDDENxINTERMEDIATExLAYERS with SmolLM2's heads; print the time of a pass")
      ->group(kPasses);
  command->add_option("--device", options.device, "h200 (if not given), h100, or both: h100,h200")
      ->group(kPasses);
  command
      ->add_option("--kernels", options.kernels,
                   "measured (if not given): those that were timed; planned: with the savings that "
                   "are expected of their next form; or both: measured,planned")
      ->group(kPasses);
  command
      ->add_flag("--pass-errors", options.pass_errors,
                 "Print every timed pass beside the rule that was fitted without its shape")
      ->group(kPasses);
  add_number(command, "--rows", options.rows, "Rows of the pass; 1, 2, 4, 8 and 16 if not given")
      ->check(takes("1 to 16"))
      ->group(kPasses);
  command
      ->add_flag("--rounds", options.rounds,
                 "Print rounds and speed-ups of --drafter, or of five drafters, at --temperature "
                 "and --speculation-length or at several; acceptance comes from the kept counts")
      ->group(kPasses);
}

void add_question_options(CLI::App* command, PredictOptions& options) {
  add_number(command, "--new-tokens", options.new_tokens,
             "Answer for drafting beside verification (DSI): tokens of a text; with --machine the "
             "tokens behind the prompt (128)")
      ->check(takes(up_to(kMostNewTokens)))
      ->group(kQuestions);
  add_number(command, "--batch", options.batch,
             "Answer for a batch whose rounds are padded: sequences")
      ->check(takes(up_to(kMostSequences)))
      ->group(kQuestions);
  add_number(command, "--num-beams", options.num_beams,
             "Answer for speculative beams: beams of the target; the acceptance rate is the chance "
             "that the draft's beams hold them")
      ->check(takes(up_to(kMostBeams)))
      ->group(kQuestions);
  add_number(command, "--draft-beams", options.draft_beams,
             "Beams of the draft; as many as --num-beams if not given")
      ->check(takes(fmt::format("--num-beams to {}", kMostBeams)))
      ->group(kQuestions);
  command
      ->add_option("--mlp-speculator", options.mlp_speculator,
                   "Answer for an MLP speculator: BASE_WIDTH,VOCABULARY,HEADS,INNER_WIDTH[,tied]")
      ->group(kQuestions);
  add_number(command, "--candidates", options.candidates,
             "Answer for that many candidates at one place, by each rule; needs laws")
      ->check(takes(up_to(kMostCandidates)))
      ->group(kQuestions);
  command
      ->add_option("--lenience", options.lenience,
                   "Answer for this lenience: how often drafts are kept and how far the output is "
                   "from the target's law; needs laws")
      ->check(takes("1e-6 to 1"))
      ->group(kQuestions);
}

}  // namespace

void add_predict_options(CLI::App* command, PredictOptions& options) {
  add_acceptance_options(command, options);
  add_cost_options(command, options);
  add_composing_options(command, options);
  add_pass_options(command, options);
  add_question_options(command, options);
  add_number(command, "--speculation-length", options.speculation_length,
             "Print the answer for this length too; with --machine draft always as many tokens, "
             "instead of the policy auto")
      ->check(takes("at least 0"));
  add_number(command, "--max-length", options.max_length,
             "Longest length of the table and of the search")
      ->check(takes("at least 1"));
  command
      ->add_option("--draft-operations-ratio", options.draft_operations_ratio,
                   "Operations of a draft token / of a target token; 0 counts the target's alone")
      ->capture_default_str()
      ->check(takes("0 to 1e6"));
  command
      ->add_option("--target-bytes", options.target_bytes,
                   "Bytes that a target forward reads, for bytes a token")
      ->check(takes("1 to 1e18"));
  command->add_option("--draft-bytes", options.draft_bytes, "Bytes that a draft forward reads")
      ->check(takes("0 to 1e18"));
  add_number(
      command, "--tree-budget", options.tree_budget,
      "Nodes of the best tree, root included (32); needs --rank-acceptance, --observed or laws")
      ->check(takes("2 to 512"));
  add_number(command, "--tree-levels", options.tree_levels,
             "Levels of the best tree, root included (16)")
      ->check(takes("2 to 64"));
  command->add_flag("--csv", options.csv, "Print the table as CSV");
  command->add_flag(
      "--json", options.json,
      "Print one JSON object; its object optimum is the answer, with --machine its list "
      "speedups");
  command->add_option(
      "--plot", options.plot,
      "Draw tokens a round and speed-up into a file that ends in .pdf, .svg or .png");
}

void add_reproduce_options(CLI::App* command, ReproduceOptions& options) {
  CLI::Option* list = command->add_flag("--list", options.list, "List the names only");
  command->add_option("id", options.ids, "Tables and figures by name");
  command->add_flag("--all-analytic", options.all_analytic,
                    "All tables and figures that closed forms give");
  command
      ->add_option("--output", options.output,
                   "Folder for CSV files and figures, with one folder for each name")
      ->capture_default_str();
  command->add_flag("!--no-figures", options.figures, "Draw no figures");
  command->add_flag("--quick", options.quick,
                    "Measured tables: few prompts, about two minutes for each sweep on two cores");
  command->add_flag("--full", options.full, "Measured tables: all prompts");
  command->add_option("--from", options.from,
                      "Measured tables: read the sweeps in FOLDER/NAME, NAME_full or NAME_quick "
                      "instead of measuring");
  command->add_option(
      "--data", options.data,
      "Folder of the papers' numbers, instead of the compiled-in experiments/papers");
  command
      ->add_option(
          "--metric", options.metrics,
          "metric_crosswalk: NAME=VALUE to convert, for example vllm.mean_acceptance_length=2.25, "
          "with speculation_length=N or drafted_nodes=N; may be repeated")
      ->allow_extra_args(false);
  for (CLI::Option* other : command->get_options([](const CLI::Option* option) {
         return option->get_name() != "--list" && option->get_name() != "--help";
       }))
    list->excludes(other);
}

}  // namespace speclab::experiments
