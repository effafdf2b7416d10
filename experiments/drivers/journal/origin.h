#pragma once
// What a run comes from, and what of it may be another when the run goes on.

#include <cstdint>
#include <string>

#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

/// What a changed key of the config means for a run that was begun.
enum class KeyRole : std::uint8_t {
  choice,   ///< which work there is: what is the same work stays, the rest is measured
  origin,   ///< what work is done on: as another machine or program
  setting,  ///< what all work is: nothing of the run would stay
};

/// @param key  "table.key", as config_changes names it
KeyRole role_of(const std::string& key);

/// What differs of program, machine, device, number format and models: a line "\n  key: was X, now
/// Y" each. Models that only one of them has, and drafters whose table in the config is another,
/// are not compared; nor is what the configs say.
std::string origin_changes(const HeaderEntry& begun, const HeaderEntry& now);

/// @throws DriftError naming what origin_changes finds
void check_same_origin(const HeaderEntry& begun, const HeaderEntry& now, const std::string& folder);

/// The same, and that the config is equal but for the paths of models, as in all journals of a
/// section.
void check_same_header(const HeaderEntry& begun, const HeaderEntry& now, const std::string& folder);

/// @throws DriftError with these lines and what to do
[[noreturn]] void throw_drift(const std::string& changes, const std::string& folder);

}  // namespace speclab::experiments
