#pragma once
// Files of a run folder: the manifest, and what journals make, also those of a run that has not
// ended.

#include <set>
#include <string>
#include <vector>

#include "analysis/tables/generation_tables.h"
#include "analysis/tables/predictions.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// Where this run comes from, on this machine, now; what is measured of the machine is left out.
/// @param workers  processes that share the measuring
HeaderEntry current_origin(const LoadedPlan& loaded, int workers);

/// HeaderEntry::machine; takes seconds.
std::vector<std::pair<std::string, double>> measure_machine(const LoadedPlan& loaded);

/// The effective config and [provenance], as results/TABLES.md describes it. @param log  looked at
/// by the plan, which has a section of it
std::string manifest_toml(const Plan& plan, const RunLog& log);

/// The sections whose rows the plan has, and its own.
std::set<int> sections_in_tables(const RunLog& log);
/// True if rows and manifest name sections: the rows are of several, or of one whose origin is not
/// the last one's.
bool names_sections(const RunLog& log);

/// Writes manifest, CSV files and texts of a run folder; each is a function of plan and journals
/// alone, and each appears whole or not at all. Tables without rows are left out, also those of an
/// earlier attempt. SHA256SUMS comes last. @throws WriteError, DataError if a journal cannot be
/// read
void write_run_files(const LoadedPlan& loaded, const RunLog& log, const std::string& folder);

/// What write_run_files may write.
std::vector<std::string> run_file_names();

/// Whether the files that this log makes are all there, of this plan. @throws DataError if
/// SHA256SUMS has a line that is none
bool has_run_files(const Plan& plan, const RunLog& log, const std::string& folder);

/// Rows at temperature 0 whose text differs from plain decoding's of the same prompt, in any
/// repetition that it is compared with. @throws DataError if a journal cannot be read
int num_greedy_differences(const Plan& plan, const RunLog& log);

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log);

// A run that has not ended, as its journals say at this moment. Nothing in its folder is locked,
// cut off or written.

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
