#include <algorithm>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/cell_entry.h"
#include "experiments/drivers/kinds/drafter_acceptance.h"
#include "experiments/drivers/kinds/kind_steps.h"

namespace speclab::experiments {
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

Json to_json(const AcceptanceEntry& entry) {
  Json depths = Json::array();
  for (const analysis::DepthSums& depth : entry.depths)
    depths.push_back(
        {depth.drafts, depth.reached, depth.accepted, depth.known_ranks, depth.in_top});
  Json siblings = Json::array();
  for (const auto& [place, sums] : entry.siblings)
    siblings.push_back(
        {place.depth, place.parent_rank, place.rank, sums.drafts, sums.reached, sums.accepted});
  return {{"positions", entry.positions}, {"depths", depths}, {"siblings", siblings}};
}

AcceptanceEntry acceptance_entry(const Json& json) {
  AcceptanceEntry entry{.positions = json.at("positions").get<std::int64_t>(), .depths = {}};
  for (const Json& depth : json.at("depths")) {
    entry.depths.push_back({.drafts = depth.at(0).get<std::int64_t>(),
                            .reached = depth.at(1).get<double>(),
                            .accepted = depth.at(2).get<double>()});
    entry.depths.back().known_ranks = std::min(depth.at(3).get<std::size_t>(), analysis::kRanks);
    for (std::size_t rank = 0; rank < analysis::kRanks; ++rank)
      entry.depths.back().in_top[rank] = depth.at(4).at(rank).get<double>();
  }
  for (const Json& node : json.value("siblings", Json::array()))
    entry.siblings[{node.at(0).get<int>(), node.at(1).get<int>(), node.at(2).get<int>()}] = {
        node.at(3).get<std::int64_t>(), node.at(4).get<double>(), node.at(5).get<double>()};
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
