#pragma once
#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace speclab::experiments {

struct ReportCommandOptions {
  std::vector<std::string> folders;  ///< a run's, or of trainings
  std::string output{};  ///< folder of all that is written; empty: the run folder, of a training
                         ///< its figures/
  bool into_used_folder = false;  ///< the output may hold files of something else
  bool are_stages = false;        ///< the folders are stages of one training, in order
  std::string plotly_js{};        ///< empty: where scripts/setup puts it
  bool static_figures = true;
};

/// `speclab report`: prints the answer and where the report is; of trainings, how they ended and
/// where the figures are. The report of a run that has not ended is made from its journal where
/// that holds more than the tables; page and standard error say how far the run is.
/// @return exit code @throws ConfigError if a folder is not there, several are not all of
/// trainings, or the output is another run; what write_report, write_partial_run and
/// read_training_curve throw
int run_report(const ReportCommandOptions& options);

/// The report of one run, without a word on standard output. @throws what run_report throws
analysis::ReportSummary make_run_report(const ReportCommandOptions& options);

/// The last line that `run` and `report` print: the gain, if there is one, and where the report is.
std::string closing_line(const analysis::ReportSummary& summary);

}  // namespace speclab::experiments
