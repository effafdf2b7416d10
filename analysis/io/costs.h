#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/stats/estimate.h"

namespace speclab::analysis {

/// One row of costs.csv, as results/README.md describes it. Texts that do not apply are empty.
struct CostRow {
  std::string model;
  std::string drafter;
  std::string tree;
  std::string verifier;
  std::string regime;
  std::string kind;  ///< "target", "draft", "overhead", "prefill"
  std::int64_t rows = 1;
  std::int64_t context = 0;
  std::int64_t batch = 1;  ///< sequences
  Estimate ns;
};

/// @throws DataError naming file, line and column; also if there is no row
std::vector<CostRow> read_costs(const std::string& path);

}  // namespace speclab::analysis
