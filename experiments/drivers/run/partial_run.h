#pragma once
// A run that has not ended, as its journals say at this moment. Nothing in its folder is locked, cut off or written.

#include <string>

#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// Whether a run has not ended and its journals hold what its tables do not: it is being measured, or was killed before it wrote them.
bool is_ahead_of_its_tables(const std::string& run_folder);

/// Writes into `scratch` what write_run_files makes of the journals as they are now. An unfinished last line does not count.
/// @param open_engines  for the tokenizer only
/// @throws DataError if nothing can be shown yet, a journal is damaged, or the config in it does not make the plan it was begun for
CellCount write_partial_run(const std::string& run_folder, const std::string& scratch, const OpenEngines& open_engines);

}  // namespace speclab::experiments
