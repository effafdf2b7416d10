#include "experiments/drivers/compare/gate_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace speclab::experiments
