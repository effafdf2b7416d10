#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

struct ReportCommandOptions {
  std::vector<std::string> folders;  ///< a run's, or of trainings
  std::string output{};  ///< of the figures of trainings; empty: figures/ in the only folder
  bool are_stages = false;   ///< the folders are stages of one training, in order
  std::string plotly_js{}; ///< empty: where scripts/setup puts it
  bool static_figures = true;
};

/// `speclab report`: prints the answer and where the report is; of trainings, how they ended and where the figures are.
/// @return exit code @throws ConfigError if a folder is not there, or several are not all of trainings; what write_report and read_training_curve throw
int run_report(const ReportCommandOptions& options);

}  // namespace speclab::experiments
