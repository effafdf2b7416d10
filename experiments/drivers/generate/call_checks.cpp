#include "experiments/drivers/generate/call_checks.h"

#include <fmt/format.h>

#include "engines/interface/drafter_checks.h"
#include "experiments/drivers/generate/masking_shift.h"
#include "experiments/drivers/generate/run_search.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/core/tree_growth.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

[[noreturn]] void refuse_pair(const std::string& asked, const std::string& other, const char* why) {
  throw ConfigError(fmt::format("{} with {}: {}; allowed: one of them", asked, other, why));
}

/// Why the mode has no text before its end.
std::string reason_of(const GenerationPlan& plan) {
  if (plan.mode.keeps_beams())
    return plan.mode.name + ": the best beam is known only when the search ends";
  if (plan.mode.searches()) return plan.mode.name + ": the search gives its text when it ends";
  return fmt::format("num_return_sequences = {}: texts are drawn side by side",
                     plan.num_return_sequences);
}

void check_tree(const std::string& tree, const std::string& policy) {
  if (TreeGrowth::parse(tree, 1).is_adaptive && !can_count_nodes(policy))
    throw ConfigError(
        fmt::format("policy '{}' with tree '{}', which takes its number of nodes from the policy; "
                    "allowed: heuristic, constant:N",
                    escaped(policy), escaped(tree)));
}

/// A search has no rounds.
void check_rounds(const GenerateOptions& options, const GenerationPlan& plan) {
  if (!plan.needs_search()) return;
  const char* given = options.side_by_side                      ? "--side-by-side"
                      : options.draw_trees                      ? "--draw-trees"
                      : options.common.model.rounds == "device" ? "--rounds device"
                                                                : nullptr;
  if (given == nullptr) return;
  throw ConfigError(
      fmt::format("{} with {} and num_return_sequences = {}; allowed: greedy_search, "
                  "sample or assisted_generation, and one text",
                  given, plan.mode.name, plan.num_return_sequences));
}

void check_policy(const std::string& policy) {
  if (policy != "auto") make_policy(policy);
}

void check_constraint(const ConstraintOptions& constraint, const engines::StopOptions& stop) {
  if ((constraint.regex || constraint.json_schema) && stop.ignore_eos)
    throw ConfigError(
        "--regex or --json-schema with --ignore-eos; allowed: one of them, because a text that "
        "meets its constraint has to end");
}

void check_stop_strings(const std::vector<std::string>& strings) {
  for (const std::string& text : strings)
    if (valid_utf8_prefix(text) != text.size())
      throw ConfigError(
          fmt::format("stop string '{}' is no valid UTF-8; allowed: UTF-8", escaped(text, 40)));
}

}  // namespace

void check_stream(const GenerateOptions& options) {
  const StreamOptions& stream = options.stream;
  stream.check_names();
  const std::string asked = stream.asked();
  if (asked.empty()) return;
  if (options.common.json) refuse_pair(asked, "--json", "--json prints one object at the end");
  if (options.draw_trees)
    refuse_pair(asked, "--draw-trees", "drawn trees leave the text to the end");
  if (!stream.has_lines()) return;
  if (options.side_by_side)
    refuse_pair(asked, "--side-by-side", "lines of two texts would follow each other");
  if (!stream.skip_prompt)
    refuse_pair(asked, "--skip-prompt false", "each line is a new token; the last has prompt_ids");
}

void check_stream_of_plan(const StreamOptions& stream, const GenerationPlan& plan) {
  if (stream.asked().empty() || !plan.needs_search()) return;
  throw ConfigError(
      fmt::format("{} with {}; allowed: the text at the end (--stream off, --skip-prompt true), or "
                  "one text of greedy_search, sample or assisted_generation",
                  stream.asked(), reason_of(plan)));
}

void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded) {
  if (stream.asked().empty() || stream.has_lines()) return;
  tokenizer_of(loaded, stream.asked() +
                           " with a model that has no tokenizer, and so no text; allowed: "
                           "--stream json or off, with --skip-prompt true");
}

void check_call(const GenerateOptions& options, const GenerationPlan* plan) {
  const engines::DecoderOptions& decoder = plan ? plan->decoding : options.decoder;
  const std::string& policy = plan ? plan->policy : options.policy;
  if (options.draw_trees && options.common.json)
    throw ConfigError("--draw-trees and --json contradict each other; give one");
  check_stream(options);
  check_drafter_options(decoder.drafter);
  check_policy(policy);
  check_tree(decoder.drafter.tree, policy);
  check_stop_strings(options.decoder.stop.stop_strings);
  check_constraint(options.constraint, decoder.stop);
  if (plan != nullptr) {
    check_rounds(options, *plan);
    check_stream_of_plan(options.stream, *plan);
    check_drawn_texts(*plan);
  }
  check_masking_shift(options, plan);
}

void note_unused_options(const GenerateOptions& options, const GenerationPlan* plan) {
  const engines::DecoderOptions& decoder = plan ? plan->decoding : options.decoder;
  const bool has_constraint = options.constraint.regex || options.constraint.json_schema;
  if (decoder.drafter.traits().drafts() || (decoder.drafter.kind != "plain" && has_constraint))
    return;
  if (options.generation.is_policy_given)
    fmt::print(stderr, "speclab: the policy '{}' has no effect without a drafter\n",
               escaped(options.policy, 40));
  if (decoder.verifier != engines::DecoderOptions{}.verifier)
    fmt::print(stderr, "speclab: the verifier '{}' has no effect without a drafter\n",
               decoder.verifier);
}

}  // namespace speclab::experiments
