#include "experiments/drivers/generate/call_checks.h"

#include <fmt/format.h>

#include "engines/interface/device_round_checks.h"
#include "engines/interface/drafter_checks.h"
#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/core/tree_growth.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

constexpr std::int32_t kFewestTexts = 8;  ///< a masking shift needs

/// Why the mode has no text before its end.
std::string reason_of(const GenerationPlan& plan) {
  const std::string mode = plan.mode.name();
  if (plan.mode.keeps_beams()) return mode + ": the best beam is known only when the search ends";
  if (plan.mode.searches()) return mode + ": the search gives its text when it ends";
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
void check_rounds(const GenerateCall& call) {
  if (!call.plan.needs_search()) return;
  const GenerateOptions& options = call.options;
  const char* given = options.side_by_side                      ? "--side-by-side"
                      : options.draw_trees                      ? "--draw-trees"
                      : options.common.model.rounds == "device" ? "--rounds device"
                                                                : nullptr;
  if (given == nullptr) return;
  throw ConfigError(
      fmt::format("{} with {} and num_return_sequences = {}; allowed: greedy_search, "
                  "sample or assisted_generation, and one text",
                  given, call.plan.mode.name(), call.plan.num_return_sequences));
}

void check_drawn_texts(const GenerationPlan& plan) {
  constexpr std::int32_t kMostTexts = 1 << 11;  // one prompt's draws have no more keys
  if (plan.mode.searches() || plan.num_return_sequences == 1) return;
  if (plan.policy == "auto")
    throw ConfigError(
        "policy 'auto' with several sequences, whose costs are those of a batch; allowed: "
        "another policy, or num_return_sequences 1");
  if (plan.num_return_sequences > kMostTexts)
    throw ConfigError(fmt::format("num_return_sequences = {}; allowed: at most {}",
                                  plan.num_return_sequences, kMostTexts));
}

void check_stop_strings(const std::vector<std::string>& strings) {
  for (const std::string& text : strings)
    if (valid_utf8_prefix(text) != text.size())
      throw ConfigError(
          fmt::format("stop string '{}' is no valid UTF-8; allowed: UTF-8", escaped(text, 40)));
}

void check_stream(const GenerateCall& call) {
  const GenerateOptions& options = call.options;
  const StreamOptions& stream = options.stream;
  stream.check_names();
  const std::string asked = stream.asked();
  if (asked.empty()) return;
  const auto refuse_if = [&](bool is_there, const char* other, const char* why) {
    if (is_there)
      throw ConfigError(fmt::format("{} with {}: {}; allowed: one of them", asked, other, why));
  };
  refuse_if(options.common.json, "--json", "--json prints one object at the end");
  refuse_if(options.draw_trees, "--draw-trees", "drawn trees leave the text to the end");
  refuse_if(stream.has_lines() && options.side_by_side, "--side-by-side",
            "lines of two texts would follow each other");
  refuse_if(stream.has_lines() && !stream.skip_prompt, "--skip-prompt false",
            "each line is a new token; the last has prompt_ids");
  if (!call.plan.needs_search()) return;
  throw ConfigError(
      fmt::format("{} with {}; allowed: the text at the end (--stream off, --skip-prompt true), or "
                  "one text of greedy_search, sample or assisted_generation",
                  asked, reason_of(call.plan)));
}

/// Empty if there is none.
std::string settings_beside_temperature(const engines::SamplingOptions& sampling) {
  std::string names;
  engines::visit_sampling_that_is_on(
      sampling, [&](const char* name, const auto&) { names += fmt::format(", {}", name); });
  engines::TextRules rules = sampling.rules;
  rules.mask.reset();
  if (rules.any()) names += ", rules about whole texts";
  return names.empty() ? "" : names.substr(2);
}

void check_masking_shift(const GenerateCall& call) {
  const ConstraintOptions& constraint = call.options.constraint;
  const GenerationPlan& plan = call.plan;
  if (!constraint.masking_shift) return;
  if (!constraint.any())
    throw ConfigError(
        "--masking-shift without a constraint; allowed: with --regex or "
        "--json-schema");
  if (plan.mode.searches() || plan.decoding.sampling.temperature == 0 ||
      plan.num_return_sequences < kFewestTexts)
    throw ConfigError(
        fmt::format("--masking-shift needs texts that are drawn; allowed: --do-sample "
                    "true with one beam, and --num-return-sequences of {} or more",
                    kFewestTexts));
  if (!engines::is_lossless(plan.decoding))
    throw ConfigError(fmt::format(
        "--masking-shift with the verifier '{}', which changes the law; allowed: a lossless one",
        escaped(plan.decoding.verifier, 40)));
  if (const std::string others = settings_beside_temperature(plan.decoding.sampling);
      !others.empty())
    throw ConfigError(fmt::format(
        "--masking-shift with {}; allowed: the temperature alone, because the shift is from the "
        "model's own law (--top-k 0 turns off what GenerationConfig brings)",
        others));
}

void refuse_by_name(const GenerationConfig& config) {
  for (const GenerationKey& key : generation_keys()) {
    const bool is_no_guidance =
        std::string(key.name) == "guidance_scale" && config.value(key.name) == 1;
    if (key.group == KeyGroup::refused && config.differs_from_transformers(key.name) &&
        !is_no_guidance)
      refuse_values(config, {key.name}, key.form.allowed);
  }
}

/// Values that contradict each other.
struct Contradiction {
  bool is_there;
  std::vector<std::string> keys;
  const char* allowed;
};

void refuse_first(const GenerationConfig& config, const std::vector<Contradiction>& all) {
  for (const Contradiction& one : all)
    if (one.is_there) refuse_values(config, one.keys, one.allowed);
}

}  // namespace

void check_values(const GenerationConfig& config) {
  refuse_by_name(config);
  const engines::SearchOptions& search = config.values().search;
  const bool draws = search.do_sample, has_beams = search.num_beams > 1;
  const bool is_forced = has_beams && !search.force_words_ids.empty();
  const bool has_penalty = search.diversity_penalty != 0;
  const bool has_groups = has_beams && (search.num_beam_groups != 1 || has_penalty);
  const std::int32_t returned = search.num_return_sequences;
  const bool has_cache_config = !config.value("cache_config").is_null();
  refuse_first(config, {{is_forced && draws,
                         {"force_words_ids", "do_sample"},
                         "forced words only with do_sample = false"},
                        {is_forced && search.num_beam_groups != 1,
                         {"force_words_ids", "num_beam_groups"},
                         "forced words only with num_beam_groups = 1"},
                        {has_groups && draws,
                         {"do_sample", "num_beam_groups", "diversity_penalty"},
                         "groups of beams only with do_sample = false"},
                        {has_groups && search.num_beams % search.num_beam_groups != 0,
                         {"num_beams", "num_beam_groups", "diversity_penalty"},
                         "a num_beams that num_beam_groups divides"},
                        {has_groups && !has_penalty,
                         {"num_beam_groups", "diversity_penalty"},
                         "a diversity_penalty above 0, or the groups are identical"},
                        {returned != 1 && !has_beams && !draws,
                         {"num_return_sequences", "do_sample", "num_beams"},
                         "1 text without drawing and without beams"},
                        {has_beams && returned > search.num_beams,
                         {"num_return_sequences", "num_beams"},
                         "at most num_beams texts for a prompt"},
                        {has_cache_config && config.value("cache_implementation") != "static",
                         {"cache_config", "cache_implementation"},
                         find_generation_key("cache_config")->form.allowed}});
}

void check_mode(const ReadGeneration& read, const std::string& verifier) {
  const engines::SearchOptions& search = read.config.values().search;
  const GenerationMode& mode = read.mode;
  // transformers 4.49 refuses these too when it makes the text, though validate() does not.
  refuse_first(read.config,
               {{mode.kind == DecodingMode::constrained_beam_search && search.num_beams == 1,
                 {"force_words_ids", "num_beams"},
                 "forced words only with 2 beams or more"},
                {mode.keeps_beams() && search.diversity_penalty != 0 && search.num_beam_groups == 1,
                 {"diversity_penalty", "num_beam_groups"},
                 "a diversity_penalty of 0, or at least 2 groups"}});
  if (mode.searches() && verifier != engines::DecoderOptions{}.verifier)
    throw ConfigError(fmt::format(
        "verifier '{}' with {}; allowed: no --verifier, because a search takes no other step than "
        "without drafts",
        escaped(verifier, 40), mode.name()));
}

void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded) {
  if (stream.asked().empty() || stream.has_lines()) return;
  tokenizer_of(loaded, stream.asked() +
                           " with a model that has no tokenizer, and so no text; allowed: "
                           "--stream json or off, with --skip-prompt true");
}

void check_call(const GenerateCall& call) {
  const GenerateOptions& options = call.options;
  const engines::DecoderOptions& decoding = call.plan.decoding;
  if (options.draw_trees && options.common.json)
    throw ConfigError("--draw-trees and --json contradict each other; give one");
  check_stream(call);
  check_drafter_options(decoding.drafter);
  if (call.plan.policy != "auto") make_policy(call.plan.policy);
  check_tree(decoding.drafter.tree, call.plan.policy);
  // The texts of the options: as values of a key their invalid bytes have been replaced.
  check_stop_strings(options.generation.decoder.stop.stop_strings);
  if (options.constraint.any() && decoding.stop.ignore_eos)
    throw ConfigError(
        "--regex or --json-schema with --ignore-eos; allowed: one of them, because a text that "
        "meets its constraint has to end");
  check_rounds(call);
  if (options.common.model.rounds == "device") engines::check_device_rounds(decoding);
  check_drawn_texts(call.plan);
  check_masking_shift(call);
}

GenerateCall checked_call(const GenerateOptions& options,
                          const std::optional<ReadGeneration>& read) {
  const GenerationOptions& given = options.generation;
  GenerateCall call{options,
                    read ? generation_plan(*read, given)
                         : GenerationPlan{.decoding = given.decoder, .policy = given.policy}};
  check_call(call);
  return call;
}

void check_ends(const engines::StopOptions& stop, const engines::ModelInfo& model) {
  for (const Token end : stop.eos_token_ids.value_or(std::vector<Token>{}))
    if (end < 0 || end >= model.vocab_size)
      throw ConfigError(fmt::format("eos_token_id has {}; allowed: 0 to {}, the vocabulary of '{}'",
                                    end, model.vocab_size - 1, escaped(model.name, 100)));
}

void note_unused_options(const GenerateCall& call) {
  const engines::DecoderOptions& decoding = call.plan.decoding;
  const bool is_masked = decoding.drafter.kind != "plain" && call.options.constraint.any();
  if (decoding.drafter.traits().drafts() || is_masked) return;
  if (call.options.generation.is_policy_given)
    fmt::print(stderr, "speclab: the policy '{}' has no effect without a drafter\n",
               escaped(call.options.generation.policy, 40));
  if (decoding.verifier != engines::DecoderOptions{}.verifier)
    fmt::print(stderr, "speclab: the verifier '{}' has no effect without a drafter\n",
               decoding.verifier);
}

}  // namespace speclab::experiments
