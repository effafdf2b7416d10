#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/generation/generation_config.h"

namespace speclab::experiments {

/// A drafter that --drafter names and that drafts.
enum class Assistant : std::uint8_t { none, drafter };

/// How a text is made.
struct GenerationMode {
  std::string name;                  ///< as GenerationMode of transformers 4.49 has it
  std::string why;                   ///< one sentence
  bool drafted = false;              ///< drafts are verified
  std::vector<std::string> notes{};  ///< about values that have no effect in this mode

  bool searches() const { return keeps_beams() || name == "contrastive_search"; }
  bool keeps_beams() const { return name.find("beam") != std::string::npos; }
};

/// The mode that the values ask for, as get_generation_mode() of transformers 4.49 decides it.
///
/// A drafter may also draft for beam_search, which 4.49 refuses.
/// @throws ConfigError for values that 4.49's validate() refuses, and for keys that speclab refuses
GenerationMode generation_mode(const GenerationConfig& config, Assistant assistant);

}  // namespace speclab::experiments
