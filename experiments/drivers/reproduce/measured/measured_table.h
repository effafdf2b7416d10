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

struct MeasuredTable {
  const char* id;
  const char* title;
  std::vector<const char*> runs;  ///< sweeps it needs
  Reproduction (*compare)(const Papers& papers, const RunFolders& folders);
};

std::span<const MeasuredTable> measured_tables();
/// @throws ContractError if there is none of that name
const PaperRun& paper_run(const std::string& name);
std::string config_of(const PaperRun& run);

Reproduction leviathan_table_2(const Papers& papers, const RunFolders& folders);
Reproduction leviathan_table_3(const Papers& papers, const RunFolders& folders);
Reproduction chen_table_1(const Papers& papers, const RunFolders& folders);
Reproduction specinfer_table_1(const Papers& papers, const RunFolders& folders);
Reproduction specinfer_table_2(const Papers& papers, const RunFolders& folders);
Reproduction specinfer_table_3(const Papers& papers, const RunFolders& folders);
Reproduction hf_temperature(const Papers& papers, const RunFolders& folders);
Reproduction ntt_temperature(const Papers& papers, const RunFolders& folders);
Reproduction ntt_model_size(const Papers& papers, const RunFolders& folders);
Reproduction ntt_ranks(const Papers& papers, const RunFolders& folders);
Reproduction ibm_heads(const Papers& papers, const RunFolders& folders);
Reproduction latency_levers(const Papers& papers, const RunFolders& folders);
Reproduction cost_of_exactness(const Papers& papers, const RunFolders& folders);
Reproduction ntt_cross_tokenizer(const Papers& papers, const RunFolders& folders);
Reproduction hf_modes(const Papers& papers, const RunFolders& folders);
Reproduction leviathan_beam(const Papers& papers, const RunFolders& folders);
Reproduction closed_world(const Papers& papers, const RunFolders& folders);

}  // namespace speclab::experiments
