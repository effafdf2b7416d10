#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

struct ReportCommandOptions {
  std::vector<std::string> folders;  ///< a run's, or of trainings
  std::string output{};  ///< folder of the figures of trainings, of the page of a run that has not
                         ///< ended; empty: figures/ in the only folder, the run folder
  bool are_stages = false;  ///< the folders are stages of one training, in order
  std::string plotly_js{};  ///< empty: where scripts/setup puts it
  bool static_figures = true;
};

/// `speclab report`: prints the answer and where the report is; of trainings, how they ended and
/// where the figures are. The report of a run that has not ended is made from its journal where
/// that holds more than the tables; page and standard error say how far the run is.
/// @return exit code @throws ConfigError if a folder is not there, or several are not all of
/// trainings; what write_report, write_partial_run and read_training_curve throw
int run_report(const ReportCommandOptions& options);

}  // namespace speclab::experiments
