#include "experiments/drivers/generate/generation_mode.h"

#include <fmt/format.h>

#include <string_view>

#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/generate/call_checks.h"
#include "experiments/drivers/generate/generation_keys.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// @param why  "do_sample = false"
void note_unused(const GenerationConfig& config, std::initializer_list<const char*> keys,
                 const std::string& why, std::vector<std::string>& notes) {
  for (const char* key : keys)
    if (config.is_given(key) && config.differs_from_transformers(key))
      notes.push_back(fmt::format("{} has no effect with {}", named_value(config, key), why));
}

GenerationMode mode_of_one_beam(const GenerationConfig& config) {
  const engines::SearchOptions& search = config.values().search;
  const std::int32_t top_k = config.values().sampling.top_k;
  if (search.do_sample)
    return {DecodingMode::sample,
            fmt::format("Tokens are drawn, because {}.", named_value(config, "do_sample"))};
  if (search.penalty_alpha > 0 && top_k > 1)
    return {DecodingMode::contrastive_search,
            fmt::format("The {} likeliest tokens are compared with earlier ones, because {}, top_k "
                        "is above 1, and do_sample is false.",
                        top_k, named_value(config, "penalty_alpha"))};
  return {DecodingMode::greedy_search,
          fmt::format("The likeliest token is taken, because {} and num_beams is 1.",
                      named_value(config, "do_sample"))};
}

GenerationMode mode_of_beams(const GenerationConfig& config) {
  const std::string beams = named_value(config, "num_beams");
  if (config.values().search.num_beam_groups > 1)
    return {DecodingMode::group_beam_search,
            fmt::format("Groups of beams are searched, because {} and {}.", beams,
                        named_value(config, "num_beam_groups"))};
  const bool draws = config.values().search.do_sample;
  return {draws ? DecodingMode::beam_sample : DecodingMode::beam_search,
          fmt::format("{}, because {} and {}.",
                      draws ? "Beams are drawn" : "The likeliest beams are kept", beams,
                      named_value(config, "do_sample"))};
}

GenerationMode undrafted_mode(const GenerationConfig& config) {
  const engines::SearchOptions& search = config.values().search;
  if (!search.force_words_ids.empty())
    return {DecodingMode::constrained_beam_search,
            fmt::format("Beams must have given words, because {}.",
                        named_value(config, "force_words_ids"))};
  return search.num_beams == 1 ? mode_of_one_beam(config) : mode_of_beams(config);
}

/// The key or the option that is to draft, in words.
std::string drafting_source(const GenerationConfig& config) {
  return config.looks_up() ? named_value(config, "prompt_lookup_num_tokens") : "--drafter";
}

[[noreturn]] void refuse_drafts(const GenerationConfig& config, const GenerationMode& mode) {
  std::string chosen_by;
  for (const char* key : mode.traits().chosen_by)
    if (key) chosen_by += (chosen_by.empty() ? "" : ", ") + named_value(config, key);
  throw ConfigError(fmt::format(
      "{} with {}, which is {}; allowed: {}", drafting_source(config), chosen_by, mode.name(),
      mode.traits().drafts == DraftsOf::drafter
          ? "drafts of --drafter, for instance --drafter prompt_lookup --speculation-length 4"
          : "no drafts; greedy_search, sample and beam_search take them"));
}

}  // namespace

std::vector<std::string> notes_on_values(const GenerationConfig& config, bool is_drafted) {
  std::vector<std::string> notes;
  const GenerationValues& values = config.values();
  const bool draws = values.search.do_sample, has_beams = values.search.num_beams > 1;
  if (!draws) {
    if (values.sampling.temperature != 0)
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

const ModeTraits& traits_of(DecodingMode mode) {
  static constexpr ModeTraits kModes[] = {
      {"greedy_search"},
      {"sample"},
      {"assisted_generation"},
      {.name = "contrastive_search",
       .searches = true,
       .drafts = DraftsOf::nothing,
       .chosen_by = {"penalty_alpha"},
       .decided_by = {"penalty_alpha", "top_k"}},
      {"beam_search", true, true, DraftsOf::drafter, {"num_beams"}},
      {"beam_sample", true, true, DraftsOf::nothing, {"num_beams", "do_sample"}},
      {.name = "group_beam_search",
       .searches = true,
       .keeps_beams = true,
       .drafts = DraftsOf::nothing,
       .chosen_by = {"num_beams", "num_beam_groups"},
       .decided_by = {"num_beam_groups", "diversity_penalty"}},
      {"constrained_beam_search", true, true, DraftsOf::nothing, {"force_words_ids"}}};
  return kModes[static_cast<std::size_t>(mode)];
}

GenerationMode generation_mode(const GenerationConfig& config, Assistant assistant) {
  check_values(config);
  GenerationMode mode = undrafted_mode(config);
  mode.drafted = config.looks_up() || assistant != Assistant::none;
  mode.notes = notes_on_values(config, mode.drafted);
  if (!mode.drafted) return mode;
  const DraftsOf drafts = mode.traits().drafts;
  if (drafts == DraftsOf::any) {
    mode.why = fmt::format("Drafts are verified, because {} drafts; otherwise {}.",
                           drafting_source(config), mode.name());
    mode.kind = DecodingMode::assisted_generation;
  } else if (drafts == DraftsOf::nothing || config.looks_up()) {
    refuse_drafts(config, mode);
  }
  return mode;
}

}  // namespace speclab::experiments
