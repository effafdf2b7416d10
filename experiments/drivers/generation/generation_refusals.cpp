#include "experiments/drivers/generation/generation_refusals.h"

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

}  // namespace speclab::experiments
