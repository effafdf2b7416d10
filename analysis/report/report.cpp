#include "analysis/report/report.h"

#include "analysis/plots/figures.h"
#include "analysis/plots/gnuplot.h"
#include "analysis/report/answer.h"
#include "analysis/report/page.h"
#include "analysis/stats/cells.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {
namespace {

std::string read_plotly(const std::string& path) {
  const std::string file = path.empty() ? user_cache_folder() + "/plotly/plotly.min.js" : path;
  try {
    return read_file(file);
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + "; scripts/setup fetches plotly.js, or name one");
  }
}

void draw_all(const std::vector<Figure>& figures, const std::string& folder) {
  make_folder(folder);
  for (const auto& figure : figures) draw_static(figure, folder);
}

}  // namespace

ReportSummary write_report(const std::string& run_folder, const ReportOptions& options) {
  const std::string plotly_js = read_plotly(options.plotly_js);
  const Run run = read_run(run_folder);
  const Baseline baseline(run);
  Bootstrap bootstrap(run.manifest.seed);
  const FigureData data{.run = run,
                        .pooled = pooled_groups(run, baseline, bootstrap),
                        .by_category = groups_by_category(run, baseline, bootstrap)};
  const auto cells = summarise_cells(run, baseline, bootstrap);
  const auto figures = build_figures(data, bootstrap);
  ReportSummary summary{.report_path = run_folder + "/report.html",
                        .answer = {},
                        .prediction_errors = median_prediction_errors(cells),
                        .figure_ids = {},
                        .num_cells = cells.size()};
  summary.answer = answer_sentence(data, summary.prediction_errors);
  for (const auto& figure : figures) summary.figure_ids.push_back(figure.id);
  write_file(run_folder + "/cells.csv", cells_csv(cells));
  if (options.static_figures) draw_all(figures, run_folder + "/figures");
  write_file(summary.report_path, page_html({data, cells, figures, summary.answer, summary.prediction_errors}, plotly_js));
  return summary;
}

}  // namespace speclab::analysis
