#include "experiments/drivers/cli/cli_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/config/named_drafters.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

engines::DrafterOptions part_of_kind(const std::string& text) {
  const PartName part = parse_part(text);
  return {.kind = part.drafter, .weight = part.weight};
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

void add_setting(CLI::App* command, const char* name, auto& value, const auto& row) {
  add_number(command, name, value, row.help)->check(takes(row.range.shown));
}
void add_setting(CLI::App* command, const char* name, std::vector<Token>& ids, const auto& row) {
  command->add_option(name, ids, row.help)->delimiter(',')->check(whole_number<Token>());
}

}  // namespace

void add_model_options(CLI::App* command, CommonOptions& common) {
  command
      ->add_option("--model", common.model.model,
                   "Catalogue name, widened:SHAPE, GGUF file or checkpoint folder")
      ->capture_default_str();
  command->add_option("--model-name", common.model.name,
                      "Name that tables show; if none is given, the last part of the path");
  add_choice(command, "--device", common.model.device, "Device that runs the model",
             takes_one_of({"auto", "cpu", "cuda"}));
  add_choice(command, "--dtype", common.model.dtype,
             "Number format of the weights; file: low-bit ones as the file has them, q8: int8 in "
             "groups of 32, auto: the numbers of bfloat16",
             takes_one_of({"auto", "file", "q8", "float32", "bfloat16"}));
  add_choice(command, "--activations", common.model.activations,
             "Activations at low-bit weights; exact: the numbers of weights in bfloat16, int8: the "
             "fastest, bfloat16: the closest to the file",
             takes_one_of({"exact", "int8", "bfloat16"}));
  add_choice(command, "--cache-dtype", common.model.cache_dtype,
             "Number format of keys and values; auto: bfloat16 beside int8 or bfloat16 activations",
             takes_one_of({"auto", "float32", "bfloat16"}));
  add_choice(command, "--weights", common.model.weights,
             "streamed: layers that do not fit into --resident-bytes come at every forward, from "
             "the file or, on a CUDA device, from the host's memory",
             takes_one_of({"resident", "streamed"}));
  add_number(command, "--resident-bytes", common.model.resident_bytes,
             "Memory of the machine, or of the CUDA device, that streamed weights may take: the "
             "layers that stay, and two buffers of the largest layer")
      ->check(takes("bytes; 0 with resident weights"));
  add_choice(command, "--kernels", common.model.kernels,
             "reference: plain libtorch operations on the CPU or a GPU, the slow truth that the "
             "kernels are tested against",
             takes_one_of({"auto", "reference"}));
  add_number(command, "--threads", common.model.threads, "Threads; 0 is all cores")
      ->check(takes("0 to 4096"));
  command->add_flag("--json", common.json, "Print one JSON object");
}

void add_sampling_options(CLI::App* command, engines::DecoderOptions& decoder) {
  add_number(command, "--max-new-tokens", decoder.stop.max_new_tokens, "Tokens to generate at most")
      ->check(takes("at least 1"));
  add_number(command, "--temperature", decoder.sampling.temperature, "0 is greedy")
      ->check(takes("0, or at least 0.001"));
  engines::for_each_sampling_row([&](const auto& row) {
    std::string name = std::string("--") + row.name;
    std::ranges::replace(name, '_', '-');
    add_setting(command, name.c_str(), decoder.sampling.*row.member, row);
  });
  command->add_flag("--ignore-eos", decoder.stop.ignore_eos,
                    "Do not stop at the end-of-sequence token");
  command->add_option("--stop", decoder.stop.stop_strings,
                      "Stop before this text; may be repeated");
}

void add_drafter_options(CLI::App* command, engines::DecoderOptions& decoder) {
  std::vector<std::string> drafters{"plain"};
  drafters.insert(drafters.end(), engines::kDrafterKinds.begin(), engines::kDrafterKinds.end());
  add_choice(command, "--drafter", decoder.drafter.kind,
             "Kind of drafter; plain drafts nothing, none only the tokens that a constraint forces",
             takes_one_of(drafters));
  command->add_option(
      "--drafter-model", decoder.drafter.model,
      "Model that drafts: a catalogue name, folder or GGUF file; for n-grams their folder or file. "
      "The project's own if empty, which fit smollm2-135m alone");
  std::vector<std::string> bridges{"auto"};
  bridges.insert(bridges.end(), engines::kBridgeNames.begin(), engines::kBridgeNames.end());
  add_choice(command, "--drafter-bridge", decoder.drafter.bridge,
             "How drafts of a small_transformer with another tokenizer cross to the target; auto: "
             "look_behind at temperature 0 or behind a constraint, else intersection",
             takes_one_of(bridges));
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

void add_verifier_options(CLI::App* command, engines::DecoderOptions& decoder) {
  command->parse_complete_callback(
      [command, &decoder] { check_rule_settings(command, decoder.verifier); });
  add_choice(command, "--verifier", decoder.verifier,
             "Rule that keeps drafts; lenient and typical change the output law",
             takes_one_of(engines::kUserVerifierKinds));
  add_number(command, "--lenience", decoder.lossy.lenience,
             "Verifier lenient: accept with p/(lenience q); 1 is exact")
      ->check(takes("above 0, at most 1"));
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
             "Verifier typical: accept above min(epsilon, delta exp(-entropy))")
      ->check(takes("0 to 1"));
  add_number(command, "--typical-delta", decoder.lossy.typical_delta,
             "Verifier typical: see --typical-epsilon")
      ->check(takes("0 to 1"));
}

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
