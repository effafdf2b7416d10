#include "experiments/drivers/generate/generation_mode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "engines/interface/sampling_rows.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

void refuse_by_name(const GenerationConfig& config) {
  for (const GenerationKey& key : generation_keys()) {
    const bool is_no_guidance =
        std::string(key.name) == "guidance_scale" && config.value(key.name) == 1;
    if (key.group == KeyGroup::refused && config.differs_from_transformers(key.name) &&
        !is_no_guidance)
      refuse_values(config, {key.name}, key.allowed);
  }
}

void check_constrained(const GenerationConfig& config) {
  if (config.is_true("do_sample"))
    refuse_values(config, {"force_words_ids", "do_sample"},
                  "forced words only with do_sample = false");
  if (config.integer("num_beam_groups") != 1)
    refuse_values(config, {"force_words_ids", "num_beam_groups"},
                  "forced words only with num_beam_groups = 1");
}

void check_groups(const GenerationConfig& config) {
  const bool has_groups = config.integer("num_beam_groups") != 1;
  const bool has_penalty = config.number("diversity_penalty") != 0;
  if (!has_groups && !has_penalty) return;
  if (config.is_true("do_sample"))
    refuse_values(config, {"do_sample", "num_beam_groups", "diversity_penalty"},
                  "groups of beams only with do_sample = false");
  if (config.integer("num_beams") % config.integer("num_beam_groups") != 0)
    refuse_values(config, {"num_beams", "num_beam_groups", "diversity_penalty"},
                  "a num_beams that num_beam_groups divides");
  if (!has_penalty)
    refuse_values(config, {"num_beam_groups", "diversity_penalty"},
                  "a diversity_penalty above 0, or the groups are identical");
}

void check_returned(const GenerationConfig& config) {
  const std::int32_t returned = config.integer("num_return_sequences");
  if (returned == 1) return;
  const std::int32_t beams = config.integer("num_beams");
  if (beams == 1 && !config.is_true("do_sample"))
    refuse_values(config, {"num_return_sequences", "do_sample", "num_beams"},
                  "1 text without drawing and without beams");
  if (beams > 1 && returned > beams)
    refuse_values(config, {"num_return_sequences", "num_beams"},
                  "at most num_beams texts for a prompt");
}

void check_cache(const GenerationConfig& config) {
  if (!config.value("cache_config").is_null() && config.value("cache_implementation") != "static")
    refuse_values(config, {"cache_config", "cache_implementation"},
                  find_generation_key("cache_config")->allowed);
}

/// @param why  "do_sample = false"
void note_unused(const GenerationConfig& config, std::initializer_list<const char*> keys,
                 const std::string& why, std::vector<std::string>& notes) {
  for (const char* key : keys)
    if (config.is_given(key) && config.differs_from_transformers(key))
      notes.push_back(fmt::format("{} has no effect with {}", named_value(config, key), why));
}

GenerationMode mode_of_one_beam(const GenerationConfig& config) {
  if (config.is_true("do_sample"))
    return {"sample",
            fmt::format("Tokens are drawn, because {}.", named_value(config, "do_sample"))};
  const KeyValue& alpha = config.value("penalty_alpha");
  if (!alpha.is_null() && alpha > 0 && config.integer("top_k") > 1)
    return {"contrastive_search",
            fmt::format("The {} likeliest tokens are compared with earlier ones, because {}, top_k "
                        "is above 1, and do_sample is false.",
                        config.integer("top_k"), named_value(config, "penalty_alpha"))};
  return {"greedy_search",
          fmt::format("The likeliest token is taken, because {} and num_beams is 1.",
                      named_value(config, "do_sample"))};
}

GenerationMode mode_of_beams(const GenerationConfig& config) {
  const std::string beams = named_value(config, "num_beams");
  if (config.integer("num_beam_groups") > 1)
    return {"group_beam_search", fmt::format("Groups of beams are searched, because {} and {}.",
                                             beams, named_value(config, "num_beam_groups"))};
  if (config.is_true("do_sample"))
    return {"beam_sample", fmt::format("Beams are drawn, because {} and {}.", beams,
                                       named_value(config, "do_sample"))};
  return {"beam_search", fmt::format("The likeliest beams are kept, because {} and {}.", beams,
                                     named_value(config, "do_sample"))};
}

GenerationMode undrafted_mode(const GenerationConfig& config) {
  if (!config.value("force_words_ids").is_null())
    return {"constrained_beam_search", fmt::format("Beams must have given words, because {}.",
                                                   named_value(config, "force_words_ids"))};
  return config.integer("num_beams") == 1 ? mode_of_one_beam(config) : mode_of_beams(config);
}

/// The key or the option that is to draft, in words.
std::string drafting_source(const GenerationConfig& config) {
  return config.value("prompt_lookup_num_tokens").is_null()
             ? "--drafter"
             : named_value(config, "prompt_lookup_num_tokens");
}

/// The keys that chose a mode without drafts, with their values.
std::string choosing_keys(const GenerationConfig& config, const GenerationMode& mode) {
  if (mode.name == "contrastive_search") return named_value(config, "penalty_alpha");
  if (mode.name == "constrained_beam_search") return named_value(config, "force_words_ids");
  const std::string beams = named_value(config, "num_beams");
  if (mode.name == "group_beam_search")
    return beams + ", " + named_value(config, "num_beam_groups");
  if (mode.name == "beam_sample") return beams + ", " + named_value(config, "do_sample");
  return beams;
}

[[noreturn]] void refuse_drafts(const GenerationConfig& config, const GenerationMode& mode) {
  throw ConfigError(fmt::format(
      "{} with {}, which is {}; allowed: {}", drafting_source(config), choosing_keys(config, mode),
      mode.name,
      mode.name == "beam_search"
          ? "drafts of --drafter, for instance --drafter prompt_lookup --speculation-length 4"
          : "no drafts; greedy_search, sample and beam_search take them"));
}

}  // namespace

std::string named_value(const GenerationConfig& config, const std::string& key) {
  return fmt::format("{} = {} ({})", key, shown(config.value(key)), config.origin(key));
}

void refuse_values(const GenerationConfig& config, const std::vector<std::string>& keys,
                   const std::string& allowed) {
  std::vector<std::string> named;
  for (const std::string& key : keys) named.push_back(named_value(config, key));
  throw ConfigError(fmt::format("{}; allowed: {}", fmt::join(named, ", "), allowed));
}

void check_values(const GenerationConfig& config) {
  refuse_by_name(config);
  if (config.integer("num_beams") > 1) {
    if (!config.value("force_words_ids").is_null()) check_constrained(config);
    check_groups(config);
  }
  check_returned(config);
  check_cache(config);
}

std::vector<std::string> notes_on_values(const GenerationConfig& config, bool is_drafted) {
  std::vector<std::string> notes;
  const bool draws = config.is_true("do_sample"), has_beams = config.integer("num_beams") > 1;
  if (!draws) {
    if (config.number("temperature") != 0)
      note_unused(config, {"temperature"}, "do_sample = false", notes);
    engines::for_each_sampling_row([&](const auto& row) {
      if (row.is_cutoff && row.name != std::string_view("top_k"))
        note_unused(config, {row.name}, "do_sample = false", notes);
    });
    if (config.value("penalty_alpha").is_null())
      note_unused(config, {"top_k"}, "do_sample = false", notes);
  }
  if (!has_beams)
    note_unused(config,
                {"early_stopping", "num_beam_groups", "diversity_penalty", "length_penalty"},
                "num_beams = 1", notes);
  if (!is_drafted)
    note_unused(config,
                {"num_assistant_tokens", "num_assistant_tokens_schedule",
                 "assistant_confidence_threshold", "max_matching_ngram_size"},
                "no drafter", notes);
  if (draws || has_beams)
    note_unused(config, {"penalty_alpha"}, draws ? "do_sample = true" : "num_beams above 1", notes);
  return notes;
}

GenerationMode generation_mode(const GenerationConfig& config, Assistant assistant) {
  check_values(config);
  GenerationMode mode = undrafted_mode(config);
  const bool looks_up = !config.value("prompt_lookup_num_tokens").is_null();
  mode.drafted = looks_up || assistant != Assistant::none;
  mode.notes = notes_on_values(config, mode.drafted);
  if (!mode.drafted) return mode;
  if (mode.name == "greedy_search" || mode.name == "sample") {
    mode.why = fmt::format("Drafts are verified, because {} drafts; otherwise {}.",
                           drafting_source(config), mode.name);
    mode.name = "assisted_generation";
  } else if (mode.name != "beam_search" || looks_up) {
    refuse_drafts(config, mode);
  }
  return mode;
}

}  // namespace speclab::experiments
