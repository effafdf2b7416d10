#include <algorithm>

#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/cell_entry.h"
#include "experiments/drivers/kinds/drafter_acceptance.h"
#include "experiments/drivers/kinds/kind_steps.h"

namespace speclab::experiments {

void name_fields(const auto& bind, Is<analysis::DepthSums> auto& depth) {
  bind("drafts", depth.drafts, "reached", depth.reached, "accepted", depth.accepted, "known_ranks",
       depth.known_ranks, "in_top", depth.in_top);
}

void name_fields(const auto& bind, Is<PlaceSums> auto& node) {
  auto& [place, sums] = node;
  bind("depth", place.depth, "parent_rank", place.parent_rank, "rank", place.rank, "drafts",
       sums.drafts, "reached", sums.reached, "accepted", sums.accepted);
}

void name_fields(const auto& bind, Is<AcceptanceEntry> auto& entry) {
  bind("positions", entry.positions, "depths", entry.depths, "siblings", MayLack{entry.siblings});
}

namespace {

/// A row with the fields that all rows of a prompt of a cell share.
template <typename Row>
Row row_of(const Plan& plan, const CellEntry& found) {
  const Cell& cell = plan.cells[found.cell];
  const Prompt& prompt = plan.prompts[found.prompt.value()];
  Row row;
  row.cell_id = cell.id;
  row.category = prompt.category;
  row.prompt_id = prompt.id;
  row.axes = cell.written();
  return row;
}

}  // namespace

Json to_json(const AcceptanceEntry& entry) { return json_of(entry); }

AcceptanceEntry acceptance_entry(const Json& json) {
  auto entry = value_of<AcceptanceEntry>(json);
  for (analysis::DepthSums& depth : entry.depths)
    depth.known_ranks = std::min(depth.known_ranks, analysis::kRanks);
  return entry;
}

std::vector<NamedFile> drafter_acceptance_tables(const Plan& plan, const RunLog& log) {
  std::vector<analysis::AcceptanceRow> depths;
  std::vector<analysis::SiblingRow> siblings;
  for (const auto& [place, found] : log.cell_entries()) {
    const AcceptanceEntry entry = found_in(found, acceptance_entry);
    for (std::size_t i = 0; i < std::max<std::size_t>(1, entry.depths.size()); ++i) {
      depths.push_back(row_of<analysis::AcceptanceRow>(plan, found));
      depths.back().positions = entry.positions;
      depths.back().depth = static_cast<int>(i + 1);
      if (i < entry.depths.size()) depths.back().sums = entry.depths[i];
    }
    for (const auto& [at, sums] : entry.siblings) {
      siblings.push_back(row_of<analysis::SiblingRow>(plan, found));
      siblings.back().place = at;
      siblings.back().sums = sums;
    }
  }
  std::vector<NamedFile> files{{"acceptance.csv", analysis::acceptance_table().csv(depths)}};
  if (!siblings.empty())
    files.emplace_back("siblings.csv", analysis::siblings_table().csv(siblings));
  return files;
}

}  // namespace speclab::experiments
