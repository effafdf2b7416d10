#pragma once
#include <optional>
#include <string>
#include <vector>

namespace speclab::experiments {

/// Options of `speclab reproduce`.
struct ReproduceOptions {
  std::vector<std::string> ids{};
  bool list = false;
  bool all_analytic = false;
  std::string output = "results/runs/reproduce";
  bool figures = true;
  bool quick = false, full = false;  ///< how much is measured, for tables that are
  std::string
      from{};  ///< folder of sweeps that were measured before, a folder a name; empty: measure
  std::optional<std::string>
      data{};  ///< folder of the papers' numbers; those compiled in where not given
  std::vector<std::string> metrics{};  ///< NAME=VALUE, for metric_crosswalk
};

/// `speclab reproduce`: ours beside the paper's, from closed forms or measured.
/// @return 0 where every closed form agrees, ExitCode::drift where one does not
/// @throws ConfigError about options, DataError about the papers' files, WriteError
int run_reproduce(const ReproduceOptions& options);

}  // namespace speclab::experiments
