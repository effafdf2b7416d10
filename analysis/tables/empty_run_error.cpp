#include "analysis/tables/empty_run_error.h"

#include <algorithm>
#include <filesystem>

#include "analysis/tables/file_digests.h"

namespace speclab::analysis {

void expect_measured(const std::string& folder, const std::string& table) {
  if (std::filesystem::exists(folder + "/" + table) ||
      std::ranges::count(digested_files(folder), table) > 0)
    return;
  const bool have_failed = std::filesystem::exists(folder + "/failures.csv");
  throw EmptyRunError(folder + ": no " + table + ": " +
                      (have_failed ? "every generation failed, and failures.csv says why"
                                   : "nothing was measured before the run was interrupted, or the "
                                     "table was not kept; the same speclab run goes on where it "
                                     "stopped"));
}

}  // namespace speclab::analysis
