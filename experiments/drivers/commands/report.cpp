#include "experiments/drivers/commands/report.h"

#include <fmt/format.h>

#include "analysis/report/report.h"

namespace speclab::experiments {

int run_report(const ReportCommandOptions& options) {
  const analysis::ReportSummary summary = analysis::write_report(options.run, {.plotly_js = options.plotly_js, .static_figures = options.static_figures});
  fmt::print("{}\n", summary.answer);
  fmt::print("{}\n", summary.report_path);
  return 0;
}

}  // namespace speclab::experiments
