#include "experiments/drivers/generate/generation_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/drafter_checks.h"
#include "engines/interface/names.h"
#include "experiments/drivers/generate/generation_config.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Prompt lookup of transformers 4.49 takes it if max_matching_ngram_size is not given.
constexpr std::int32_t kLongestMatch = 2;
constexpr const char* kPromptLookup = "prompt_lookup";

bool looks_up(const GenerationConfig& config) {
  return !config.value("prompt_lookup_num_tokens").is_null();
}

engines::DrafterOptions drafter_of(const GenerationConfig& config,
                                   engines::DrafterOptions drafter) {
  if (looks_up(config)) drafter.kind = kPromptLookup;
  const KeyValue& longest = config.value("max_matching_ngram_size");
  if (!longest.is_null() && drafter.looks_up())
    drafter.max_ngram = longest.get<std::int32_t>();
  else if (looks_up(config))
    drafter.max_ngram = kLongestMatch;
  return drafter;
}

/// The policy that an assistant's keys ask for; the given one if there are none.
std::string policy_of(const GenerationConfig& config, const engines::DrafterOptions& drafter,
                      const std::string& policy) {
  if (looks_up(config))
    return fmt::format("constant:{}", config.integer("prompt_lookup_num_tokens"));
  const bool is_asked = std::ranges::any_of(generation_keys(), [&](const GenerationKey& key) {
    return key.group == KeyGroup::drafting && config.is_given(key.name) &&
           std::string(key.name) != "max_matching_ngram_size";
  });
  if (!is_asked || !drafter.traits().drafts()) return policy;
  if (config.value("num_assistant_tokens_schedule") != "constant") return "heuristic";
  const double threshold = config.number("assistant_confidence_threshold");
  const std::int32_t tokens = config.integer("num_assistant_tokens");
  return drafter.traits().draws_trees() && threshold > 0
             ? fmt::format("confidence:{}:{}", threshold, tokens)
             : fmt::format("constant:{}", tokens);
}

engines::EarlyStopping early_stopping_of(const KeyValue& value) {
  if (value == "never") return engines::EarlyStopping::never;
  return value == true ? engines::EarlyStopping::yes : engines::EarlyStopping::no;
}

/// A word with one form can stand there without a list around the form.
void add_words(const KeyValue& value, engines::SearchOptions& search) {
  for (const KeyValue& word : value)
    search.force_words_ids.push_back(word[0].is_array() ? word : KeyValue::array({word}));
}

/// Adds what a search has beside a decoder's options.
void add_search(const GenerationConfig& config, const GenerationMode& mode,
                engines::SearchOptions& search) {
  search.num_beams = config.integer("num_beams");
  search.length_penalty = config.number("length_penalty");
  search.early_stopping = early_stopping_of(config.value("early_stopping"));
  search.num_return_sequences = config.integer("num_return_sequences");
  search.do_sample = config.is_true("do_sample");
  if (mode.name == "group_beam_search") {
    search.num_beam_groups = config.integer("num_beam_groups");
    search.diversity_penalty = config.number("diversity_penalty");
  }
  if (mode.name == "contrastive_search") {
    search.penalty_alpha = config.number("penalty_alpha");
    search.top_k = config.integer("top_k");
  }
  add_words(config.value("force_words_ids"), search);
}

/// Refusals of a running mode; --explain still explains these values.
void check_built(const GenerationConfig& config, const GenerationMode& mode) {
  // transformers 4.49 refuses these too when it makes the text, though validate() does not.
  if (mode.name == "constrained_beam_search" && config.integer("num_beams") == 1)
    refuse_values(config, {"force_words_ids", "num_beams"},
                  "forced words only with 2 beams or more");
  if (mode.keeps_beams() && config.number("diversity_penalty") != 0 &&
      config.integer("num_beam_groups") == 1)
    refuse_values(config, {"diversity_penalty", "num_beam_groups"},
                  "a diversity_penalty of 0, or at least 2 groups");
}

/// A search has no use for a rule that keeps drafts.
void check_no_verifier(const engines::DecoderOptions& decoder, const GenerationMode& mode) {
  const engines::DecoderOptions usual;
  if (decoder.verifier != usual.verifier)
    throw ConfigError(fmt::format(
        "verifier '{}' with {}; allowed: no --verifier, because a search takes no other step than "
        "without drafts",
        escaped(decoder.verifier, 40), mode.name));
}

/// Beams take one length for all rounds.
std::int32_t draft_length_of(const std::string& policy) {
  if (!policy.starts_with("constant:") && policy != "none")
    throw ConfigError(fmt::format("policy '{}' with drafts of beams; allowed: constant:N, or none",
                                  escaped(policy, 40)));
  return make_policy(policy)->longest().value_or(0);
}

}  // namespace

Assistant assistant_of(const GenerationConfig& config, const GenerationOptions& options,
                       const engines::DrafterOptions& drafter) {
  if (looks_up(config) && options.is_drafter_given && drafter.kind != kPromptLookup)
    throw ConfigError(fmt::format("{} with --drafter {}; allowed: one of them, or --drafter {}",
                                  named_value(config, "prompt_lookup_num_tokens"),
                                  escaped(drafter.kind, 40), kPromptLookup));
  return drafter.traits().drafts() && !looks_up(config) ? Assistant::drafter : Assistant::none;
}

GenerationPlan generation_plan(const GenerationConfig& config, const GenerationMode& mode,
                               const GenerationOptions& options, const PlanSettings& settings) {
  check_built(config, mode);
  check_drafter_options(settings.decoder.drafter);
  GenerationPlan plan{.mode = mode, .policy = settings.policy};
  engines::SearchOptions& decoding = plan.decoding;
  static_cast<engines::DecoderOptions&>(decoding) = settings.decoder;
  decoding.sampling = sampling_of(config, mode.searches() ? 1.0 : 0.0);
  decoding.stop = stop_of(config, settings.decoder.stop);
  decoding.drafter = drafter_of(config, settings.decoder.drafter);
  decoding.seed = settings.seed;
  if (!options.is_policy_given) plan.policy = policy_of(config, decoding.drafter, settings.policy);
  if (mode.searches()) {
    check_no_verifier(settings.decoder, mode);
    add_search(config, mode, decoding);
  }
  if (mode.searches() && mode.drafted) {
    check_beam_drafter(decoding.drafter);
    decoding.draft_length = draft_length_of(plan.policy);
  }
  if (config.value("max_new_tokens").is_null()) plan.max_length = config.integer("max_length");
  plan.num_return_sequences = config.integer("num_return_sequences");
  if (!config.is_given_by_user("eos_token_id"))
    plan.folder_ends = tokens_of(config.value("eos_token_id"));
  return plan;
}

void use_folder_ends(GenerationPlan& plan) {
  if (!plan.folder_ends.empty()) plan.decoding.stop.eos_token_ids = plan.folder_ends;
}

void set_prompt_length(GenerationPlan& plan, std::size_t prompt_length) {
  if (plan.max_length && prompt_length >= static_cast<std::size_t>(*plan.max_length))
    throw ConfigError(
        fmt::format("the prompt has {} tokens and max_length = {}; allowed: a longer "
                    "max_length, or max_new_tokens",
                    prompt_length, *plan.max_length));
  std::int32_t& new_tokens = plan.decoding.stop.max_new_tokens;
  if (plan.max_length) new_tokens = *plan.max_length - static_cast<std::int32_t>(prompt_length);
  plan.decoding.sampling.rules.set_lengths(prompt_length, new_tokens);
}

}  // namespace speclab::experiments
