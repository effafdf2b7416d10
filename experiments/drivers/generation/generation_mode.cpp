#include "experiments/drivers/generation/generation_mode.h"

#include <fmt/format.h>

#include "experiments/drivers/generation/generation_refusals.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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
