#pragma once
#include <array>
#include <string>
#include <vector>

#include "experiments/drivers/generate/generation_config.h"

namespace speclab::experiments {

/// A drafter that --drafter names and that drafts.
enum class Assistant : std::uint8_t { none, drafter };

/// How texts are made, as GenerationMode of transformers 4.49 has it.
enum class DecodingMode : std::uint8_t {
  greedy_search,
  sample,
  assisted_generation,
  contrastive_search,
  beam_search,
  beam_sample,
  group_beam_search,
  constrained_beam_search
};

/// The drafters that a mode takes drafts of.
enum class DraftsOf : std::uint8_t { anybody, drafter, nobody };

/// The things that a mode keeps several of while it makes one text.
enum class Searched : std::uint8_t { nothing, candidates, beams };

struct ModeTraits {
  const char* name;
  const char* why;  ///< {0} to {5}: do_sample, num_beams and its groups, alpha, words, top_k
  Searched searched = Searched::nothing;
  DraftsOf drafts = DraftsOf::anybody;
  std::array<const char*, 2> chosen_by{};   ///< keys; null: none
  std::array<const char*, 2> decided_by{};  ///< more keys than those of all modes; null: none
};

const ModeTraits& traits_of(DecodingMode mode);

struct GenerationMode {
  DecodingMode kind = DecodingMode::sample;
  std::string why{};                 ///< one sentence
  bool drafted = false;              ///< drafts are verified
  std::vector<std::string> notes{};  ///< about values that have no effect in this mode

  const ModeTraits& traits() const { return traits_of(kind); }
  const char* name() const { return traits().name; }
  bool searches() const { return traits().searched != Searched::nothing; }
  bool keeps_beams() const { return traits().searched == Searched::beams; }
};

/// The mode that the values ask for, as get_generation_mode() of transformers 4.49 decides it.
///
/// A drafter may also draft for beam_search, which 4.49 refuses.
/// @throws ConfigError for values that 4.49's validate() refuses, and for keys that speclab refuses
GenerationMode generation_mode(const GenerationConfig& config, Assistant assistant);

}  // namespace speclab::experiments
