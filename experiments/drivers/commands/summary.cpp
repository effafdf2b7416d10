#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "analysis/stats/intervals.h"
#include "analysis/tables/table.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Table;

constexpr std::array kDrafters{"prompt_lookup", "small_transformer", "feature_transformer",
                               "lookup_transformer"};
constexpr std::array kTemperatures{0.0, 1.0};

/// The only row with these texts in these columns. @throws DataError unless there is one
std::size_t row_where(const Table& table, const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < table.size(); ++row) {
    bool is_it = true;
    for (const auto& [column, value] : wanted)
      is_it = is_it && table.optional_text(row, column).value_or("") == value;
    if (is_it) found.push_back(row);
  }
  std::string values;
  for (const auto& [column, value] : wanted) values += fmt::format(" {} = {}", column, value);
  if (found.size() != 1)
    throw DataError(
        fmt::format("{}: {} rows with{}; allowed: one", escaped(path), found.size(), values));
  return found.front();
}

/// Speed-up of the whole walltime over plain decoding, a line a drafter.
std::string speedups(const std::string& folder) {
  const std::string path = folder + "/walltime_vs_temperature_cpu/cells_pooled.csv";
  const Table cells = Table::read(path);
  std::string text = "| drafter |", rule = "\n|---|";
  for (const double temperature : kTemperatures) {
    text += fmt::format(" speed-up at temperature {} |", temperature);
    rule += "---|";
  }
  text += rule + "\n";
  std::int64_t prompts = 0;
  for (const char* drafter : kDrafters) {
    text += fmt::format("| `{}` |", drafter);
    for (const double temperature : kTemperatures) {
      const std::size_t row = row_where(
          cells, path, {{"drafter", drafter}, {"temperature", fmt::format("{}", temperature)}});
      text += fmt::format(" {:.2f} [{:.2f}, {:.2f}] |", cells.number(row, "speedup"),
                          cells.number(row, "speedup_low"), cells.number(row, "speedup_high"));
      const std::int64_t n = cells.count(row, "n_prompts", 1);
      if (prompts != 0 && n != prompts)
        cells.fail(row, "n_prompts", fmt::format("{}; allowed: {} as before", n, prompts));
      prompts = n;
    }
    text += "\n";
  }
  return text + fmt::format(
                    "\nThe policy is `auto`, with {} prompts. Brackets hold 95 % intervals "
                    "over prompts.\n",
                    prompts);
}

/// Predictions over measurements, less 1, of each cell that drafts.
struct ErrorsOfRun {
  std::vector<double> walltime{}, speedup{};
};

ErrorsOfRun errors_of_run(const Table& ledger, const std::string& path) {
  ErrorsOfRun errors;
  for (std::size_t row = 0; row < ledger.size(); ++row) {
    if (ledger.text(row, "drafter") == "none") continue;
    const std::size_t plain = row_where(
        ledger, path, {{"drafter", "none"}, {"temperature", ledger.text(row, "temperature")}});
    const auto ratio = [&](std::size_t of) {
      return ledger.number(of, "predicted_walltime_ns") / ledger.number(of, "walltime_ns");
    };
    errors.walltime.push_back(ratio(row) - 1);
    errors.speedup.push_back(ratio(plain) / ratio(row) - 1);
  }
  if (errors.walltime.empty())
    throw DataError(fmt::format("{}: no cell drafts; allowed: at least one", escaped(path)));
  return errors;
}

/// Median and largest absolute value, as percentages.
std::string median_and_most(std::vector<double> errors, char between) {
  for (double& error : errors) error = 100 * std::abs(error);
  return fmt::format("{:.1f} % in the median and{}{:.1f} % at most", analysis::median(errors).value,
                     between, std::ranges::max(errors));
}

/// How good the predictions of the run were whose speed-ups stand in the table.
std::string predictions_of_run(const std::string& folder) {
  const std::string path = folder + "/walltime_vs_temperature_cpu/ledger.csv";
  const ErrorsOfRun errors = errors_of_run(Table::read(path), path);
  return fmt::format(
      "Predictions of this run, over its {} cells that draft: walltimes are off by {} ({} of them "
      "too low), speed-ups by {}.\n",
      errors.walltime.size(), median_and_most(errors.walltime, '\n'),
      std::ranges::count_if(errors.walltime, [](double error) { return error < 0; }),
      median_and_most(errors.speedup, ' '));
}

}  // namespace

int run_summary(const SummaryOptions& options) {
  const std::string folder =
      options.folder.empty() ? data_folder() + "/results/reference" : options.folder;
  if (!std::filesystem::is_directory(folder))
    throw ConfigError(
        fmt::format("{} is no folder; give one like results/reference", escaped(folder)));
  const std::string table = speedups(folder);
  fmt::print("{}{}", table, predictions_of_run(folder));
  return 0;
}

}  // namespace speclab::experiments
