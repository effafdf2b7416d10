#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/generate/generation_config.h"

namespace speclab::experiments {

/// "num_beams = 4 (command line)".
std::string named_value(const GenerationConfig& config, const std::string& key);

/// Throws ConfigError with the values of some keys and what is allowed.
[[noreturn]] void refuse_values(const GenerationConfig& config,
                                const std::vector<std::string>& keys, const std::string& allowed);

/// Refuses what validate() of transformers 4.49 refuses, and keys that speclab cannot obey.
/// @throws ConfigError naming the contradicting keys
void check_values(const GenerationConfig& config);

/// Lines about values that have no effect, where validate() of transformers 4.49 warns, and about
/// keys of drafting if nothing is drafted.
std::vector<std::string> notes_on_values(const GenerationConfig& config, bool is_drafted);

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
