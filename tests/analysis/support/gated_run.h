#pragma once
// Runs made up for the gate: counts of chains over prompts of unlike difficulty, in memory.

#include <string>

#include "analysis/tables/run_folder.h"

namespace speclab::analysis::testing {

struct GatedRun {
  double drop = 0;           ///< of every prompt's acceptance rate, which is 0.4 to 0.8
  std::uint64_t chance = 1;  ///< keys the verdicts; prompts are the same in all
  std::string machine = "a made-up machine";
  double temperature = 1;
  std::string policy = "constant:4";
  int prompts = 56;
  int repetitions = 1;
  int tokens = 96;  ///< a generation
  int cells = 1;    ///< alike but for the drafter's name; after a cell of plain decoding
};

Run made_up(const GatedRun& options);

/// Changes an entry of [provenance], or of the config. @throws std::out_of_range if there is none
/// of that name
void set_provenance(Run& run, const std::string& key, const std::string& value);
void set_config(Run& run, const std::string& key, const std::string& value);

}  // namespace speclab::analysis::testing
