#include "experiments/drivers/generate/generation_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/drafter_checks.h"
#include "engines/interface/names.h"
#include "experiments/drivers/generate/call_checks.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Prompt lookup of transformers 4.49 takes it if max_matching_ngram_size is not given.
constexpr std::int32_t kLongestMatch = 2;
constexpr const char* kPromptLookup = "prompt_lookup";

engines::DrafterOptions drafter_of(const GenerationConfig& config,
                                   engines::DrafterOptions drafter) {
  if (config.looks_up()) drafter.kind = kPromptLookup;
  const std::int32_t longest = config.values().max_matching_ngram_size;
  if (longest > 0 && drafter.looks_up())
    drafter.max_ngram = longest;
  else if (config.looks_up())
    drafter.max_ngram = kLongestMatch;
  return drafter;
}

/// The policy that an assistant's keys ask for; the given one if there are none.
std::string policy_of(const GenerationConfig& config, const engines::DrafterOptions& drafter,
                      const std::string& policy) {
  const GenerationValues& values = config.values();
  if (config.looks_up()) return fmt::format("constant:{}", values.prompt_lookup_num_tokens);
  const bool is_asked = std::ranges::any_of(generation_keys(), [&](const GenerationKey& key) {
    return key.group == KeyGroup::drafting && config.is_given(key.name) &&
           std::string(key.name) != "max_matching_ngram_size";
  });
  if (!is_asked || !drafter.traits().drafts()) return policy;
  if (values.num_assistant_tokens_schedule != "constant") return "heuristic";
  const double threshold = values.assistant_confidence_threshold;
  return drafter.traits().draws_trees() && threshold > 0
             ? fmt::format("confidence:{}:{}", threshold, values.num_assistant_tokens)
             : fmt::format("constant:{}", values.num_assistant_tokens);
}

/// Beams take one length for all rounds.
std::int32_t draft_length_of(const std::string& policy) {
  if (!policy.starts_with("constant:") && policy != "none")
    throw ConfigError(fmt::format("policy '{}' with drafts of beams; allowed: constant:N, or none",
                                  escaped(policy, 40)));
  return make_policy(policy)->longest().value_or(0);
}

engines::SearchOptions search_of(const GenerationConfig& config, const GenerationPlan& plan) {
  engines::SearchOptions search = config.values().search;
  const engines::SearchOptions off;
  if (plan.mode.kind != DecodingMode::group_beam_search) {
    search.num_beam_groups = off.num_beam_groups;
    search.diversity_penalty = off.diversity_penalty;
  }
  if (plan.mode.kind == DecodingMode::contrastive_search)
    search.top_k = config.values().sampling.top_k;
  else
    search.penalty_alpha = off.penalty_alpha;
  if (!plan.mode.drafted) return search;
  check_beam_drafter(plan.decoding.drafter);
  search.draft_length = draft_length_of(plan.policy);
  return search;
}

bool speaks_of_generation(const GenerationOptions& options, const GenerationSources& sources) {
  return options.config_file || options.save_file || options.explain || options.has_key_option ||
         (sources.folder && changes_texts(*sources.folder));
}

/// The assistant that --drafter names.
/// @throws ConfigError if it contradicts prompt_lookup_num_tokens
Assistant assistant_of(const GenerationConfig& config, const GenerationOptions& options) {
  const engines::DrafterOptions& drafter = options.decoder.drafter;
  if (config.looks_up() && options.is_drafter_given && drafter.kind != kPromptLookup)
    throw ConfigError(fmt::format("{} with --drafter {}; allowed: one of them, or --drafter {}",
                                  named_value(config, "prompt_lookup_num_tokens"),
                                  escaped(drafter.kind, 40), kPromptLookup));
  return drafter.traits().drafts() && !config.looks_up() ? Assistant::drafter : Assistant::none;
}

}  // namespace

std::optional<ReadGeneration> read_generation(const GenerationOptions& options,
                                              const std::string& model) {
  const GenerationSources sources = read_generation_sources(options, model);
  if (!speaks_of_generation(options, sources)) return std::nullopt;
  GenerationConfig config(sources);
  GenerationMode mode = generation_mode(config, assistant_of(config, options));
  return ReadGeneration{std::move(config), std::move(mode)};
}

GenerationPlan generation_plan(const ReadGeneration& read, const GenerationOptions& options) {
  const GenerationConfig& config = read.config;
  check_mode(read, options.decoder.verifier);
  check_drafter_options(options.decoder.drafter);
  GenerationPlan plan{.mode = read.mode, .decoding = options.decoder, .policy = options.policy};
  engines::DecoderOptions& decoding = plan.decoding;
  decoding.sampling = sampling_of(config);
  decoding.stop = stop_of(config, decoding.stop);
  decoding.drafter = drafter_of(config, decoding.drafter);
  if (!options.is_policy_given) plan.policy = policy_of(config, decoding.drafter, plan.policy);
  if (read.mode.searches()) decoding.search = search_of(config, plan);
  if (!config.values().max_new_tokens) plan.max_length = config.values().max_length;
  plan.num_return_sequences = config.values().search.num_return_sequences;
  if (!config.is_given_by_user("eos_token_id")) plan.folder_ends = config.values().eos_token_ids;
  return plan;
}

GenerationPlan generation_plan_of(const std::map<std::string, std::string>& values,
                                  const engines::DecoderOptions& decoder,
                                  const std::optional<std::string>& policy) {
  GenerationOptions options{.has_key_option = true,
                            .given = values,
                            .is_drafter_given = decoder.drafter.traits().drafts(),
                            .is_policy_given = policy.has_value(),
                            .decoder = decoder};
  if (policy) options.policy = *policy;
  return generation_plan(read_generation(options, "").value(), options);
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
