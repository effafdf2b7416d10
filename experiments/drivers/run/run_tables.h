#pragma once
// Tables of a run folder beside its rows: failures, costs, predictions, pace, atlas and acceptance,
// as results/TABLES.md describes them.

#include <string>

#include "analysis/tables/csv_writer.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

struct LoadedPlan;

/// An empty text is a missing value.
void add_text(analysis::CsvWriter& csv, const std::string& text);
/// The columns from `model` to `repetition_penalty`.
void add_axes(analysis::CsvWriter& csv, const Cell& cell, const engines::SamplingOptions& sampling);

std::string costs_csv(const RunLog& log);
std::string failures_csv(const Plan& plan, const RunLog& log);
std::string predictions_csv(const LoadedPlan& loaded, const RunLog& log);
std::string pace_csv(const RunLog& log);
std::string atlas_csv(const LoadedPlan& loaded, const RunLog& log);
std::string acceptance_csv(const Plan& plan, const RunLog& log);
std::string siblings_csv(const Plan& plan, const RunLog& log);

}  // namespace speclab::experiments
