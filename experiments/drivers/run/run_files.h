#pragma once
// Files of a run folder, and the rows of its tables of failures and predictions.

#include <string>
#include <vector>

#include "analysis/tables/generation_tables.h"
#include "analysis/tables/predictions.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

struct LoadedPlan;

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

struct LoadedPlan;

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log);

}  // namespace speclab::experiments
