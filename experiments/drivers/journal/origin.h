#pragma once
// Where a run comes from, and what of it may be another when the run goes on.

#include <cstdint>
#include <functional>
#include <string>

#include "engines/interface/engines.h"
#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

/// What differs between two configs in the form of to_toml: a line "\n  table.key: was X, now Y"
/// for each changed key.
/// @param counts  of which keys
std::string config_changes(
    const std::string& was, const std::string& now,
    const std::function<bool(const std::string& key)>& counts = [](const std::string&) {
      return true;
    });

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

/// This program and the machine that it is on: revision, program_sha256, engines_sha256,
/// build_type, flags, compiler, libtorch, blas, machine, governor, device, driver, threads. @param
/// device  that models are on
Provenance program_origin(const engines::MachineInfo& machine, const std::string& device);

}  // namespace speclab::experiments
