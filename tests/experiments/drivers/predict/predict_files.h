#pragma once
// Files that predictions are made from.

#include <gtest/gtest.h>

#include <string>

#include "experiments/drivers/predict/predict_options.h"
#include "sim/system/files.h"

namespace speclab::experiments {

inline std::string file_with(const std::string& name, const std::string& content) {
  const std::string folder = ::testing::TempDir() + "/predict_files";
  make_folder(folder);
  write_file(folder + "/" + name, content);
  return folder + "/" + name;
}

/// Textbook costs.
inline PredictOptions ratios(const std::string& acceptance, const std::string& cost) {
  return {.acceptance_rate = acceptance, .cost_ratio = cost};
}

inline constexpr const char* kCostHeader =
    "model,drafter,tree,verifier,regime,kind,rows,context,batch,ns,ns_low,ns_high,n\n";

/// One drafter; forwards of 1 to 5 rows at two contexts; drafts of 1 to 4 tokens at 50 each; a
/// plain step takes 1000.
inline std::string small_costs() {
  std::string rows = kCostHeader;
  for (const int context : {10, 30})
    for (int count = 1; count <= 5; ++count)
      rows += "t,,,,,target," + std::to_string(count) + "," + std::to_string(context) + ",1," +
              std::to_string(980 + 20 * count - 20) + ",,,9\n";
  for (int count = 1; count <= 4; ++count)
    rows += "t,d,chain,rejection,greedy,draft," + std::to_string(count) + ",20,1," +
            std::to_string(50 * count) + ",,,9\n";
  rows += "t,,,,greedy,overhead,1,20,1,20,,,9\nt,d,chain,rejection,greedy,overhead,2,20,1,30,,,9\n";
  return rows;
}

}  // namespace speclab::experiments
