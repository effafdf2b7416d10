#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/verify/arithmetic_distance.h"

namespace speclab::experiments {
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

/// --prompts and the number of them.
struct PromptListOption {
  CLI::Option* set = nullptr;
  CLI::Option* count = nullptr;
};

/// @param use  of the prompts, for --help
PromptListOption add_prompt_list_options(CLI::App* command, PromptListOptions& options,
                                         const std::string& use) {
  CLI::Option* set = command->add_option(
      "--prompts", options.set,
      use + ": a set of experiments/prompts, a folder, or a JSONL or JSON file");
  CLI::Option* count = add_number(command, "--prompts-per-category", options.per_category,
                                  "The first so many prompts of each category; if not given, all "
                                  "of a set (verify: two)");
  return {set, count};
}

void add_prompt_options(CLI::App* command, PromptInput& prompt) {
  CLI::Option* text =
      command->add_option("--prompt", prompt.text,
                          "The prompt; if none is given, standard input without a final newline");
  CLI::Option* file = command
                          ->add_option("--prompt-file", prompt.file,
                                       "File with the prompt; a final newline is dropped")
                          ->excludes(text);
  CLI::Option* ids = command->add_option("--prompt-ids", prompt.ids, "Prompt as token ids: 1,2,3")
                         ->excludes(text)
                         ->excludes(file);
  CLI::Option* raw = command->add_flag("!--no-chat-template", prompt.chat_template,
                                       "Use the text without a template");
  add_messages_option(command, prompt.chat)->excludes(text)->excludes(file);
  const PromptListOption prompts = add_prompt_list_options(
      command, prompt.list, "Generate for each of these prompts; --json prints a line for each");
  prompts.count->needs(prompts.set);
  for (const char* other : {"--prompt", "--prompt-file", "--prompt-ids", "--messages"})
    prompts.set->excludes(command->get_option(other));
  CLI::Option* system = command->add_option("--system", prompt.chat.system,
                                            "Text of a system message before the others");
  add_tools_option(command, prompt.chat);
  for (CLI::Option* raw_prompt : {ids, raw})
    raw_prompt->excludes("--messages")->excludes("--tools")->excludes(system);
}

void add_policy_options(CLI::App* command, std::string& policy) {
  const auto set_policy = [&policy](const int& length) {
    policy = "constant:" + std::to_string(length);
  };
  CLI::Option* length = command
                            ->add_option_function<int>("--speculation-length", set_policy,
                                                       "Tokens drafted a round (4)")
                            ->check(whole_number<int>());
  command
      ->add_option("--policy", policy,
                   "constant:N; heuristic; confidence:P:N; tracking:C:N; or auto, which measures "
                   "costs first. confidence ends a chain behind the first token that the drafter "
                   "finds less likely than P (0.4), after N (20) at the latest. tracking takes the "
                   "best length up to N (20) for the acceptance rate so far, if a drafted token "
                   "costs C (0.05) of a step. P, C and N may be left out")
      ->excludes(length);
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

void add_law_options(CLI::App* command, LawOptions&) {
  command->footer(
      fmt::format("{}\n\nKeys of a line: {}", command->get_footer(), fmt::join(law_keys(), ", ")));
}

void add_models_options(CLI::App* command, ModelsOptions& options) {
  CLI::App* inspect = command->add_subcommand("inspect", "Show one model");
  inspect->add_option("model", options.inspect, "Catalogue name, file or folder")->required();
  for (CLI::App* either : {command, inspect})
    either->add_flag("--json", options.common.json, "Print one JSON object");
}

void add_score_options(CLI::App* command, ScoreOptions& options) {
  add_model_options(command, options.common);
  CLI::Option* file = command->add_option("--file", options.file,
                                          "Text to score; if none is given, standard input");
  command->add_option("--prompt-ids", options.prompt_ids, "Token ids to score: 1,2,3")
      ->excludes(file);
  CLI::Option* logits =
      command
          ->add_option("--logits", options.logits,
                       "Write the logits after every token to this .npy file: float32, [tokens, "
                       "vocabulary]; a regular file of that name is replaced")
          ->check(not_empty());
  command->add_flag("--confirm", options.confirm,
                    "Also say at every place what the model itself would have said, the rank of "
                    "the text's token, and by how much its logit exceeds the best other one");
  const PromptListOption prompts = add_prompt_list_options(
      command, options.prompts, "Score each of these texts by itself, without a chat template");
  prompts.count->needs(prompts.set);
  for (CLI::Option* other : {file, command->get_option("--prompt-ids"), logits})
    prompts.set->excludes(other);
}

void add_generate_options(CLI::App* command, GenerateOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.generation.decoder);
  add_prompt_options(command, options.prompt);
  add_choice(command, "--rounds", options.common.model.rounds,
             "device: whole rounds on the CUDA device, with chains or trees of a fixed shape "
             "(3x2x1) from every drafter but MLP speculators and mixtures with models",
             takes_one_of({"host", "device"}));
  command->add_flag("--side-by-side", options.side_by_side,
                    "Decode first plainly, then speculatively");
  command->add_flag("--draw-trees", options.draw_trees,
                    "Draw the draft of every round, its accepted tokens, the drafter's q (if "
                    "tokens are drawn) and the target's p; the text comes at the end");
  add_stream_options(command, options.stream);
  add_drafter_options(command, options.generation.decoder);
  add_verifier_options(command, options.generation.decoder);
  add_number(command, "--seed", options.generation.decoder.seed, "Seed of all draws");
  add_policy_options(command, options.generation.policy);
  add_constraint_options(command, options.constraint);
  add_generation_options(command, options.generation);
}

void add_verify_options(CLI::App* command, VerifyOptions& options) {
  add_model_options(command, options.common);
  add_sampling_options(command, options.decoder);
  add_drafter_options(command, options.decoder);
  add_verifier_options(command, options.decoder);
  add_number(command, "--seed", options.common.seed, "Seed of all draws");
  add_number(command, "--speculation-length", options.speculation_length, "Tokens drafted a round")
      ->check(takes("at least 0"));
  CLI::Option* ids = command->add_option("--prompt-ids", options.prompt_ids,
                                         "One prompt instead, as token ids: 1,2,3");
  const PromptListOption prompts = add_prompt_list_options(
      command, options.prompts,
      "Prompts to verify with; if none are given, two of each category of the project's set core");
  for (CLI::Option* option : {prompts.set, prompts.count}) option->excludes(ids);
  command->add_flag("!--no-chat-template", options.chat_template,
                    "Use the text without a template");
  CLI::Option* against =
      command
          ->add_option("--against", options.against,
                       "Also measure how far the model's law is from its law in this number "
                       "format, on text that it sampled at temperature 1. This is the price of "
                       "the format, not of speculation, and does not change the verdict")
          ->check(takes_one_of(kComparedDtypes));
  add_number(command, "--positions", options.positions, "Tokens at which --against compares laws")
      ->check(takes("at least 1"))
      ->needs(against);
}

}  // namespace speclab::experiments
