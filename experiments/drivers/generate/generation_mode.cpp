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

DecodingMode undrafted_mode(const GenerationValues& values) {
  using enum DecodingMode;
  const engines::SearchOptions& search = values.search;
  if (!search.force_words_ids.empty()) return constrained_beam_search;
  if (search.num_beams > 1 && search.num_beam_groups > 1) return group_beam_search;
  if (search.num_beams > 1) return search.do_sample ? beam_sample : beam_search;
  if (search.do_sample) return sample;
  return search.penalty_alpha > 0 && values.sampling.top_k > 1 ? contrastive_search : greedy_search;
}

std::string why(const GenerationConfig& config, DecodingMode mode) {
  const auto named = [&](const char* key) { return named_value(config, key); };
  return fmt::format(fmt::runtime(traits_of(mode).why), named("do_sample"), named("num_beams"),
                     named("num_beam_groups"), named("penalty_alpha"), named("force_words_ids"),
                     config.values().sampling.top_k);
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

/// Lines about values that have no effect, where validate() of transformers 4.49 warns, and about
/// keys of drafting if nothing is drafted.
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

}  // namespace

const ModeTraits& traits_of(DecodingMode mode) {
  using enum Searched;
  using enum DraftsOf;
  static constexpr ModeTraits kModes[] = {
      {"greedy_search", "The likeliest token is taken, because {0} and num_beams is 1."},
      {"sample", "Tokens are drawn, because {0}."},
      {"assisted_generation", ""},
      {"contrastive_search",
       "The {5} likeliest tokens are compared with earlier ones, because {3}, top_k is above 1, "
       "and do_sample is false.",
       candidates,
       nobody,
       {"penalty_alpha"},
       {"penalty_alpha", "top_k"}},
      {"beam_search",
       "The likeliest beams are kept, because {1} and {0}.",
       beams,
       drafter,
       {"num_beams"}},
      {"beam_sample",
       "Beams are drawn, because {1} and {0}.",
       beams,
       nobody,
       {"num_beams", "do_sample"}},
      {"group_beam_search",
       "Groups of beams are searched, because {1} and {2}.",
       beams,
       nobody,
       {"num_beams", "num_beam_groups"},
       {"num_beam_groups", "diversity_penalty"}},
      {"constrained_beam_search",
       "Beams must have given words, because {4}.",
       beams,
       nobody,
       {"force_words_ids"}}};
  return kModes[static_cast<std::size_t>(mode)];
}

GenerationMode generation_mode(const GenerationConfig& config, Assistant assistant) {
  check_values(config);
  GenerationMode mode{undrafted_mode(config.values())};
  mode.why = why(config, mode.kind);
  mode.drafted = config.looks_up() || assistant != Assistant::none;
  mode.notes = notes_on_values(config, mode.drafted);
  if (!mode.drafted) return mode;
  const DraftsOf drafts = mode.traits().drafts;
  if (drafts == DraftsOf::anybody) {
    mode.why = fmt::format("Drafts are verified, because {} drafts; otherwise {}.",
                           drafting_source(config), mode.name());
    mode.kind = DecodingMode::assisted_generation;
  } else if (drafts == DraftsOf::nobody || config.looks_up()) {
    refuse_drafts(config, mode);
  }
  return mode;
}

}  // namespace speclab::experiments
