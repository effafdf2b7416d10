#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/cells.h"

namespace speclab::analysis {

/// A committed run keeps the tables that are made from its rows, and not the rows themselves.
struct MissingTables {
  std::vector<std::string> tables;   ///< raw tables of its kind that the folder lacks
  std::vector<std::string> figures;  ///< ids, or families of ids, that are made from them

  bool any() const { return !tables.empty(); }
};

/// Raw tables that a committed run does not have. None for a folder without the tables made from
/// them, or whose SHA256SUMS names a missing one: there a table was lost or never written, and its
/// reader says so.
/// @param kind  of the experiment, "decoding"
MissingTables missing_tables(const std::string& run_folder, const std::string& kind);

/// Sentences that name the missing tables, the figures that are not drawn, and a way to draw them.
std::string missing_note(const std::string& run_folder, const MissingTables& missing);

struct ReportOptions {
  std::string
      plotly_js;  ///< file; empty takes the one that was installed or that scripts/setup fetched
  bool static_figures = true;  ///< also draw PDF, PNG and SVG (needs gnuplot and poppler-utils)
  std::string opening{};       ///< what stands before the answer, with the blank behind it
  std::string output{};        ///< folder of all that is written; empty: the run folder
};

struct ReportSummary {
  std::string report_path;             ///< empty if there is no page
  std::string answer;                  ///< the sentence that opens the report
  std::string worth{};                 ///< the gain in a sentence; empty if nothing was compared
  PredictionErrors prediction_errors;  ///< of the walltime, medians over cells
  std::vector<Figure> figures;
  std::size_t num_cells = 0;
};

/// Writes cells.csv, figures/ and report.html of a run from its rows; from its costs alone, and
/// without cells.csv, where there are no rows. Of a committed run without rows the answer names
/// what is missing (MissingTables). Deterministic but for the PDF's dates.
/// @throws DataError if the folder's files are missing, broken or without provenance, or plotly.js
/// is missing
/// @throws WriteError if something cannot be written or drawn
ReportSummary write_report(const std::string& run_folder, const ReportOptions& options);

/// Begins the opening of a report of a run that has not ended.
inline constexpr const char* kPartialOpening = "Partial report: ";

/// Whether a page is such a report. @throws DataError if it cannot be read
bool is_partial_report(const std::string& path);

}  // namespace speclab::analysis
