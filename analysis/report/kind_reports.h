#pragma once
// Reports of runs that measure no walltime of generations: acceptance, rules and costs.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

/// The parts of a report that its kind alone knows.
struct KindReport {
  std::vector<Figure> figures;
  std::string answer;  ///< opens the page
  std::string tables;  ///< HTML: sections behind the figures
};

/// Names the drafters by acceptance at each temperature; tables by drafter and by depth.
KindReport acceptance_report(const std::string& run_folder, const Manifest& manifest);

/// Names the rule that keeps most, and says whether the counts fit their exact laws; every count in
/// a table.
KindReport atlas_report(const std::string& run_folder, const Manifest& manifest);

/// Says for each model at the longest context t(rows) / t(1), for the most rows up to 8. From six
/// points on it adds the cost of a row, and the number of rows from which it is another. Every
/// point stands in a table.
KindReport cost_report(const std::string& run_folder, const Manifest& manifest);

}  // namespace speclab::analysis
