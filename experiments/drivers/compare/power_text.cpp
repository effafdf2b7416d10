#include "experiments/drivers/compare/power_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/drivers/compare/gate_folder.h"
#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

std::string caught_line(const char* what, double slowdown) {
  return slowdown > 0.0 ? fmt::format("{}: +{:.1f} %\n", what, 100.0 * slowdown)
                        : fmt::format("{}: none up to +20 %\n", what);
}

}  // namespace

analysis::GatePower power_of_folders(const std::vector<std::string>& folders) {
  std::vector<analysis::BenchPairRow> rows;
  for (const std::string& folder : folders)
    std::ranges::move(analysis::read_bench_pairs(folder + "/" + kPairsFile),
                      std::back_inserter(rows));
  return analysis::gate_power(rows, {});
}

std::string power_text(const analysis::GatePower& power) {
  TextTable table({"planted", "slow", "slow of the least", "ambiguous", "the least"});
  for (const analysis::GatePowerRow& row : power.rows)
    table.add_row({fmt::format("+{:.0f} %", 100.0 * row.slowdown),
                   fmt::format("{:.4f}", row.caught_mean), fmt::format("{:.4f}", row.caught_least),
                   fmt::format("{:.4f}", row.ambiguous_mean), row.least_benchmark});
  return fmt::format("{} gates drawn from {} pairs of {} benchmarks\n{}", power.gates, power.pairs,
                     power.benchmarks, table.text()) +
         fmt::format("gates without a slow-down: {:.4f} SLOW, {:.4f} AMBIGUOUS\n", power.alarms,
                     power.ambiguous_gates) +
         caught_line("smallest slow-down caught with 90 %, over all benchmarks",
                     power.caught_with_90_percent) +
         caught_line("in each benchmark", power.each_caught_with_90_percent);
}

std::string power_json(const analysis::GatePower& power) {
  ordered_json rows = ordered_json::array();
  for (const analysis::GatePowerRow& row : power.rows)
    rows.push_back({{"slowdown", row.slowdown},
                    {"caught_mean", row.caught_mean},
                    {"caught_least", row.caught_least},
                    {"least_benchmark", row.least_benchmark},
                    {"ambiguous_mean", row.ambiguous_mean}});
  return ordered_json{{"pairs", power.pairs},
                      {"benchmarks", power.benchmarks},
                      {"gates", power.gates},
                      {"alarms", power.alarms},
                      {"ambiguous_gates", power.ambiguous_gates},
                      {"rows", rows},
                      {"caught_with_90_percent", power.caught_with_90_percent},
                      {"each_caught_with_90_percent", power.each_caught_with_90_percent}}
      .dump();
}

}  // namespace speclab::experiments
