#pragma once
// Tables that the papers measured: our pairs on this machine beside theirs.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// A sweep that tables are read from: experiments/configs/papers/NAME.toml, and what makes it
/// small.
struct PaperRun {
  const char* name;
  std::vector<std::string> quick_settings;  ///< "key=value"
  bool is_extra = false;                    ///< not measured with --quick, and tables do without it
};

/// By name of the sweep.
using RunFolders = std::map<std::string, std::string>;

using RebuildFromRuns = Reproduction(const Papers& papers, const RunFolders& folders);

struct MeasuredTable {
  const char* id;
  const char* title;
  std::vector<const char*> runs;  ///< sweeps it needs
  RebuildFromRuns* compare;
};

std::span<const MeasuredTable> measured_tables();
/// @throws ContractError if there is none of that name
const PaperRun& paper_run(const std::string& name);
std::string config_of(const PaperRun& run);

RebuildFromRuns leviathan_table_2, leviathan_table_3, chen_table_1, specinfer_table_1,
    specinfer_table_2, specinfer_table_3, hf_temperature, ntt_temperature, ntt_model_size,
    ntt_ranks, ibm_heads, latency_levers, cost_of_exactness, ntt_cross_tokenizer, hf_modes,
    leviathan_beam, closed_world;

}  // namespace speclab::experiments
