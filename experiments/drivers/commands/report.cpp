#include "experiments/drivers/commands/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/report/report.h"
#include "sim/core/errors.h"

namespace speclab::experiments {

int run_report(const ReportCommandOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(options.run, error)) throw ConfigError(fmt::format("{}: {}; give the folder of a run", escaped(options.run, 200), error ? error.message() : "is not there"));
  const analysis::ReportSummary summary = analysis::write_report(options.run, {.plotly_js = options.plotly_js, .static_figures = options.static_figures});
  fmt::print("{}\n", summary.answer);
  fmt::print("{}\n", summary.report_path);
  return 0;
}

}  // namespace speclab::experiments
