#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/generation/generation_config.h"

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

}  // namespace speclab::experiments
