#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_shared_options.h"

namespace speclab::experiments {

void add_stream_options(CLI::App* command, StreamOptions& stream) {
  command
      ->add_option("--stream", stream.form,
                   "How the text comes. words: whole words, as TextStreamer of transformers; "
                   "characters: each once it is whole; json: a JSON line a token, then the object "
                   "of --json; off: all at the end. A line has index, id, text, log_probability, "
                   "fate and round. The log-probability is natural and that of the model itself. "
                   "If not given, words")
      ->check(takes_one_of(kStreamForms));
  command->add_option("--skip-prompt", stream.skip_prompt, "false: the text begins with the prompt")
      ->default_str("true")
      ->check(takes_one_of({"true", "false"}));
  command
      ->add_option("--skip-special-tokens", stream.skip_special_tokens,
                   "Special tokens that the text leaves out; ends: those that end a text, true: "
                   "all, false: none")
      ->capture_default_str()
      ->check(takes_one_of(kSkippedTokens));
}

void add_constraint_options(CLI::App* command, ConstraintOptions& constraint) {
  CLI::Option* regex = command->add_option(
      "--regex", constraint.regex,
      "Regular expression that the whole text matches: literals, classes, groups, |, *, +, ?, "
      "{m,n}");
  command
      ->add_option("--json-schema", constraint.json_schema,
                   "JSON file with a schema; the text is JSON that the schema takes")
      ->excludes(regex);
  command->add_flag(
      "--masking-shift", constraint.masking_shift,
      "Estimate how far texts drawn behind the constraint are from the model's own law, "
      "given a match; needs --do-sample true, --num-return-sequences of 8 or more, "
      "and no setting but the temperature");
}

}  // namespace speclab::experiments
