#pragma once
#include <string>

namespace speclab::experiments {

struct ReportCommandOptions {
  std::string run;       ///< a run folder
  std::string plotly_js{}; ///< empty: where scripts/setup puts it
  bool static_figures = true;
};

/// `speclab report`: prints the answer and where the report is. @return exit code @throws what write_report throws
int run_report(const ReportCommandOptions& options);

}  // namespace speclab::experiments
