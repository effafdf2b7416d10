#include "analysis/gate/count_gate.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using Key = std::tuple<std::string, std::string, int>;
using Rows = std::map<Key, const AcceptanceRow*>;

Rows by_key(const std::vector<AcceptanceRow>& rows) {
  Rows keyed;
  for (const AcceptanceRow& row : rows)
    keyed.emplace(Key(row.cell_id, row.prompt_id, row.depth), &row);
  return keyed;
}

/// Every prompt of every cell has a row of depth 1.
std::map<Key, std::int64_t> places(const std::vector<AcceptanceRow>& rows) {
  std::map<Key, std::int64_t> places;
  for (const AcceptanceRow& row : rows) places[Key(row.cell_id, row.prompt_id, 1)] = row.positions;
  return places;
}

bool is_equal(const AcceptanceRow* base, const AcceptanceRow* head) {
  if (base == nullptr || head == nullptr) return false;
  const DepthSums &a = base->sums, &b = head->sums;
  return std::tie(a.drafts, a.reached, a.accepted, a.in_top, a.known_ranks) ==
         std::tie(b.drafts, b.reached, b.accepted, b.in_top, b.known_ranks);
}

void check_whole(const char* which, const AcceptanceRun& run,
                 std::vector<std::string>& differences) {
  if (const std::string missing = run.missing(); !missing.empty())
    differences.push_back(fmt::format("{}: {}", which, missing));
}

/// What drafts of one prompt keep over all depths.
struct PromptSums {
  double places = 0, reached = 0, accepted = 0;
};

/// A cell as it is put together.
struct Cell {
  Setting axes;
  std::map<std::string, std::pair<PromptSums, PromptSums>> prompts;  ///< of base and head
  std::size_t n_rows = 0, changed_rows = 0;

  void add(const AcceptanceRow* base, const AcceptanceRow* head) {
    SPECLAB_EXPECT(base != nullptr || head != nullptr, "a row of neither run");
    const AcceptanceRow& any = base != nullptr ? *base : *head;
    axes = any.axes;
    ++n_rows;
    changed_rows += !is_equal(base, head);
    auto& [base_sums, head_sums] = prompts[any.prompt_id];
    for (const auto& [row, sums] : {std::pair(base, &base_sums), std::pair(head, &head_sums)}) {
      if (row == nullptr) continue;
      sums->places = static_cast<double>(row->positions);
      sums->reached += row->sums.reached;
      sums->accepted += row->sums.accepted;
    }
  }

  CellGate gate(const std::string& cell_id) const {
    ClusterTotals base, head, base_tokens, head_tokens;  // the token that a round adds counts too
    for (const auto& [prompt, sums] : prompts) {
      base.add(sums.first.accepted, sums.first.reached);
      head.add(sums.second.accepted, sums.second.reached);
      base_tokens.add(sums.first.places + sums.first.accepted, sums.first.places);
      head_tokens.add(sums.second.places + sums.second.accepted, sums.second.places);
    }
    return {.cell_id = cell_id,
            .axes = axes,
            .n_prompts = prompts.size(),
            .n_rows = n_rows,
            .changed_rows = changed_rows,
            .acceptance_rate = gated_rate(base, head),
            .tokens_per_round = gated_rate(base_tokens, head_tokens),
            .tokens_per_row = {},
            .smallest_drop_found = {},
            .reason = {}};
  }
};

std::vector<CellGate> cells_of(const Rows& base, const Rows& head) {
  std::map<std::string, Cell> cells;
  std::set<Key> keys;
  for (const Rows* rows : {&base, &head})
    for (const auto& [key, row] : *rows) keys.insert(key);
  const auto find = [](const Rows& rows, const Key& key) {
    return rows.contains(key) ? rows.at(key) : nullptr;
  };
  for (const Key& key : keys) cells[std::get<0>(key)].add(find(base, key), find(head, key));
  std::vector<CellGate> gates;
  for (const auto& [id, cell] : cells) gates.push_back(cell.gate(id));
  return gates;
}

}  // namespace

CountGate gate_acceptance(const AcceptanceRun& base, const AcceptanceRun& head,
                          const GateOptions& options) {
  CountGate gate{.work_differences = config_differences(base.manifest, head.manifest),
                 .origin_differences = origin_differences(base.manifest, head.manifest),
                 .cells = {},
                 .verdict = GateVerdict::invalid};
  const auto base_places = places(base.rows), head_places = places(head.rows);
  if (base_places != head_places)
    gate.work_differences.push_back(
        fmt::format("{} and {} prompts of cells, or other places of their texts",
                    base_places.size(), head_places.size()));
  check_whole("base", base, gate.work_differences);
  check_whole("head", head, gate.work_differences);
  if (!gate.work_differences.empty()) return gate;
  gate.cells = cells_of(by_key(base.rows), by_key(head.rows));
  judge_cells(gate, options);
  return gate;
}

}  // namespace speclab::analysis
