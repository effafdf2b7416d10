#include "experiments/drivers/compare/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/drivers/predict/text_table.h"

namespace speclab::experiments {
namespace {

using analysis::GateLine;
using nlohmann::ordered_json;

bool is_time(const GateLine& line) { return line.measure == "time" && line.reason.empty(); }

std::vector<std::string> table_row(const GateLine& line) {
  const auto of_times = [&](const std::string& text) {
    return is_time(line) ? text : std::string("-");
  };
  const bool is_judged = line.reason.empty();
  return {line.benchmark,
          line.measure,
          std::string(name(line.verdict)),
          is_judged ? fmt::format("{:.4f}", line.ratio) : "-",
          of_times(fmt::format("{:.4f}", line.pairs.floor_ratio)),
          of_times(fmt::format("{}", line.pairs.pairs)),
          of_times(fmt::format("{}", line.pairs.slower)),
          of_times(fmt::format("{}", line.pairs.faster)),
          of_times(fmt::format("{:.2g}", std::min(line.pairs.p_slower, line.pairs.p_faster)))};
}

ordered_json json_of(const GateLine& line) {
  ordered_json object = {
      {"benchmark", line.benchmark}, {"measure", line.measure}, {"verdict", name(line.verdict)}};
  if (!line.reason.empty())
    object["reason"] = line.reason;
  else
    object["ratio"] = line.ratio;
  if (!is_time(line)) return object;
  object.update({{"floor_ratio", line.pairs.floor_ratio},
                 {"pairs", line.pairs.pairs},
                 {"slower", line.pairs.slower},
                 {"faster", line.pairs.faster},
                 {"p_slower", line.pairs.p_slower},
                 {"p_faster", line.pairs.p_faster}});
  return object;
}

ordered_json settings_of(const BuildGateOptions& options) {
  return {{"pairs", options.pairs},
          {"repetitions", options.repetitions},
          {"planted_slowdown", options.planted_slowdown},
          {"seed", options.seed}};
}

std::string names_line(const std::string& what, const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("{}: {}\n", what, fmt::join(names, ", "));
}

/// How long measuring times took.
std::string seconds_line(const FamilySeconds& seconds) {
  if (seconds.empty()) return "";
  double all = 0.0;
  std::vector<std::string> parts;
  for (const auto& [family, of_family] : seconds) {
    all += of_family;
    parts.push_back(fmt::format("{} {:.1f}", family, of_family));
  }
  return fmt::format("measured for {:.1f} s: {}\n", all, fmt::join(parts, ", "));
}

using nlohmann::ordered_json;

std::string caught_line(const char* what, double slowdown) {
  return slowdown > 0.0 ? fmt::format("{}: +{:.1f} %\n", what, 100.0 * slowdown)
                        : fmt::format("{}: none up to +20 %\n", what);
}

}  // namespace

std::string gate_text(const BuildGate& gate) {
  TextTable table(
      {"benchmark", "measure", "verdict", "head/base", "floor", "pairs", "slower", "faster", "p"});
  for (const GateLine& line : gate.lines) table.add_row(table_row(line));
  std::string text = table.text();
  for (const GateLine& line : gate.lines)
    if (!line.reason.empty())
      text += fmt::format("{}, {}: {}\n", line.benchmark, line.measure, line.reason);
  text += names_line("only in the base, not compared", gate.only_base) +
          names_line("only in the head, not compared", gate.only_head);
  for (const std::string& note : gate.notes) text += note + "\n";
  text += seconds_line(gate.seconds);
  return text + fmt::format("{} against {}: {}\n", gate.head, gate.base, name(gate.verdict));
}

std::string gate_json(const BuildGate& gate) {
  ordered_json lines = ordered_json::array();
  for (const GateLine& line : gate.lines) lines.push_back(json_of(line));
  return ordered_json{{"verdict", name(gate.verdict)},
                      {"exit_code", static_cast<int>(exit_code(gate.verdict))},
                      {"base", gate.base},
                      {"head", gate.head},
                      {"machine", gate.machine},
                      {"settings", settings_of(gate.options)},
                      {"benchmarks", lines},
                      {"only_in_base", gate.only_base},
                      {"only_in_head", gate.only_head},
                      {"notes", gate.notes},
                      {"seconds", gate.seconds}}
      .dump();
}

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
