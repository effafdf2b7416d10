#pragma once
// A run that has not ended, as its journals say at this moment. Nothing in its folder is locked,
// cut off or written.

#include <string>

#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// Whether the folder has a journal of a run that has not ended: it is being measured, or something
/// stopped it.
/// @throws DataError if there are no tables and the journal is damaged
bool is_unfinished(const std::string& run_folder);

/// Writes into `scratch` what write_run_files makes of the journals as they are now. An unfinished
/// last line does not count.
/// @param open_engines  for the tokenizer only
/// @throws DataError if nothing can be shown yet, a journal is damaged or holds less than the
/// tables, or the config in it does not make the plan it was begun for
CellCount write_partial_run(const std::string& run_folder, const std::string& scratch,
                            const OpenEngines& open_engines);

/// Whether the run's own tables say the same as those in `scratch`, as they do where it was
/// interrupted and wrote them.
bool has_tables_of(const std::string& run_folder, const std::string& scratch);

}  // namespace speclab::experiments
