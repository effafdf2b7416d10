#include "experiments/drivers/compare/gates.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "analysis/gate/count_gate.h"
#include "analysis/tables/file_digests.h"
#include "experiments/drivers/predict/text_table.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::CellGate;
using analysis::CountGate;
using analysis::GatedRate;
using Json = nlohmann::ordered_json;

/// The kind of a run whose files are as it left them.
std::string kind_of(const std::string& folder) {
  analysis::check_unchanged(folder);
  const std::string kind = analysis::read_manifest(folder + "/manifest.toml").kind;
  if (kind != "decoding" && kind != "drafter_acceptance")
    throw ConfigError(folder + ": a run of kind '" + escaped(kind) +
                      "'; compare takes runs of kind decoding or drafter_acceptance");
  return kind;
}

std::string change_text(const std::optional<GatedRate>& rate) {
  if (!rate) return "-";
  const auto& difference = rate->change.difference;
  if (!difference.interval) return fmt::format("{:+.4f}", difference.value);
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", difference.value, difference.interval->low,
                     difference.interval->high);
}

std::string rate_text(const std::optional<GatedRate>& rate, double GatedRate::* side) {
  return rate ? fmt::format("{:.4f}", (*rate).*side) : "-";
}

std::string ms_text(const std::optional<double>& ns) {
  return ns ? fmt::format("{:.1f}", *ns / 1e6) : "-";
}

std::string cells_text(const std::vector<CellGate>& cells) {
  TextTable table({"cell", "prompts", "changed rows", "acceptance", "head", "head - base [95 %]",
                   "drop found", "tokens a round", "head", "head - base [95 %]", "ms, not gated",
                   "head", "verdict"});
  for (const CellGate& cell : cells)
    table.add_row(
        {cell.cell_id, std::to_string(cell.n_prompts),
         fmt::format("{} of {}", cell.changed_rows, cell.n_rows),
         rate_text(cell.acceptance_rate, &GatedRate::base),
         rate_text(cell.acceptance_rate, &GatedRate::head), change_text(cell.acceptance_rate),
         cell.smallest_drop_found ? fmt::format("{:.4f}", *cell.smallest_drop_found) : "-",
         rate_text(cell.tokens_per_round, &GatedRate::base),
         rate_text(cell.tokens_per_round, &GatedRate::head), change_text(cell.tokens_per_round),
         ms_text(cell.base_walltime_ns), ms_text(cell.head_walltime_ns),
         std::string(name(cell.verdict))});
  return table.text();
}

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += "  " + text + "\n";
  return all;
}

std::string sentence(const CountGate& gate) {
  switch (gate.verdict) {
    case analysis::GateVerdict::invalid:
      return gate.cells.empty() ? "the runs did not do the same work"
                                : "the texts have other lengths";
    case analysis::GateVerdict::slow:
      return "the head accepts less";
    case analysis::GateVerdict::fast:
      return "the head accepts more";
    case analysis::GateVerdict::ambiguous:
      return "neither a drop nor its absence is shown";
    case analysis::GateVerdict::same:
      return gate.is_exact() ? "every count is what the base has" : "no rate changed beyond chance";
  }
  throw_contract_error("a GateVerdict", __FILE__, __LINE__, "not a GateVerdict");
}

void print_text(const CountGate& gate, const analysis::GateOptions& options) {
  if (!gate.work_differences.empty())
    fmt::print("not the same work (base, head):\n{}", lines(gate.work_differences));
  if (!gate.cells.empty()) {
    if (gate.is_exact())
      fmt::print(
          "same machine class, number format, drafters and seed: counts are gated exactly\n");
    else
      fmt::print(
          "counts may differ, for these do (base, head), and are gated by paired intervals over "
          "prompts:\n{}",
          lines(gate.origin_differences));
    fmt::print(
        "{}drop found: of the acceptance rate, in {:.0f} % of such pairs of runs, with {:.0f} % of "
        "false alarms over all cells\n",
        cells_text(gate.cells), 100 * options.power, 100 * options.alarm_level);
  }
  for (const CellGate& cell : gate.cells)
    if (!cell.reason.empty()) fmt::print("{}: {}\n", cell.cell_id, cell.reason);
  fmt::print("{}: {}\n", name(gate.verdict), sentence(gate));
}

Json to_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json to_json(const std::optional<GatedRate>& rate) {
  if (!rate) return nullptr;
  const auto& interval = rate->change.difference.interval;
  return {{"base", rate->base},
          {"head", rate->head},
          {"difference", rate->change.difference.value},
          {"difference_low", interval ? Json(interval->low) : Json(nullptr)},
          {"difference_high", interval ? Json(interval->high) : Json(nullptr)},
          {"p", rate->change.p_value},
          {"adjusted_p", rate->adjusted_p}};
}

Json to_json(const CellGate& cell) {
  return {{"cell_id", cell.cell_id},
          {"n_prompts", cell.n_prompts},
          {"n_rows", cell.n_rows},
          {"changed_rows", cell.changed_rows},
          {"acceptance_rate", to_json(cell.acceptance_rate)},
          {"tokens_per_round", to_json(cell.tokens_per_round)},
          {"tokens_per_row", to_json(cell.tokens_per_row)},
          {"smallest_drop_found", to_json(cell.smallest_drop_found)},
          {"base_walltime_ns", to_json(cell.base_walltime_ns)},
          {"head_walltime_ns", to_json(cell.head_walltime_ns)},
          {"verdict", name(cell.verdict)},
          {"reason", cell.reason}};
}

void print_json(const CountGate& gate) {
  Json cells = Json::array();
  for (const CellGate& cell : gate.cells) cells.push_back(to_json(cell));
  const Json report = {{"verdict", name(gate.verdict)},
                       {"is_exact", gate.is_exact()},
                       {"work_differences", gate.work_differences},
                       {"origin_differences", gate.origin_differences},
                       {"cells", cells}};
  fmt::print("{}\n", report.dump());
}

CountGate gate_of(const std::string& kind, const std::string& base, const std::string& head,
                  const analysis::GateOptions& options) try {
  if (kind == "decoding") {
    const analysis::Run base_run = analysis::read_run(base), head_run = analysis::read_run(head);
    return analysis::gate_counts(base_run, head_run, options);
  }
  const analysis::AcceptanceRun base_run = analysis::read_acceptance_run(base),
                                head_run = analysis::read_acceptance_run(head);
  return analysis::gate_acceptance(base_run, head_run, options);
} catch (const analysis::EmptyRunError& empty) {
  throw Error(ExitCode::invalid_measurement, empty.what());
}

}  // namespace

analysis::GateVerdict compare_runs(const std::string& base, const std::string& head,
                                   const RunGateOptions& options) {
  const double drop = options.gate.largest_drop;
  if (!(drop > 0 && drop < 1))
    throw ConfigError(fmt::format("--largest-drop {}; allowed: numbers above 0 and below 1", drop));
  const std::string kind = kind_of(base), other = kind_of(head);
  if (kind != other)
    throw ConfigError(fmt::format("{} is of kind {}, {} of kind {}; allowed: two runs of one kind",
                                  escaped(base), kind, escaped(head), other));
  const CountGate gate = gate_of(kind, base, head, options.gate);
  if (options.json)
    print_json(gate);
  else
    print_text(gate, options.gate);
  return gate.verdict;
}

}  // namespace speclab::experiments
