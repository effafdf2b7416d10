#include "experiments/drivers/kinds/kind_entries.h"

#include <algorithm>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/draft_sums.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan_parts.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

/// What is seen of one text's drafts.
struct Observation {
  DraftSums depths;
  SiblingChances siblings;
};

/// A decoder that shows its drafts: one for every place of plain decoding's text, none of them
/// kept, or those of speculative decoding's rounds.
std::unique_ptr<engines::RoundDecoder> observing_decoder(Workbench& bench, const Cell& cell,
                                                         Observation& seen) {
  const Plan& plan = bench.plan();
  engines::DecoderOptions options = decoder_options(plan, cell.setting);
  options.verifier = plan.config.places == "rounds" ? "rejection" : "observe";
  options.stop.max_new_tokens += plan.max_length();  // so that the last drafts are as long
  const bool is_tree = cell.setting.tree != "chain";
  options.on_draft = [&seen, is_tree](const Draft& draft, const TargetLaws<float>& target_laws) {
    seen.depths.add(draft, target_laws);
    if (is_tree) seen.siblings.add(draft, target_laws);
  };
  const engines::LoadedModel& loaded = bench.loaded().model_of(cell.setting);
  return bench.loaded().engines.make_decoder(*loaded.model, loaded.tokenizer, options);
}

/// What a cell shows of its drafter, prompt by prompt.
void observe_cell(Workbench& bench, std::size_t index) {
  const Plan& plan = bench.plan();
  const Cell& cell = plan.cells[index];
  Observation seen;
  const auto decoder = observing_decoder(bench, cell, seen);
  const auto policy = make_policy(cell.setting.policy);
  for (std::size_t prompt = 0; prompt < plan.prompts.size(); ++prompt) {
    if (cell.category != "all" && cell.category != plan.prompts[prompt].category) continue;
    if (bench.log().cell_entries().contains({index, prompt})) continue;
    seen = {};
    decoder->begin({{plan.sequence_id({.cell = index, .prompt = prompt}),
                     bench.loaded().texts_of(cell.setting.model).prompts[prompt]}},
                   *policy);
    bool goes_on = true;
    while (goes_on &&
           std::ssize(decoder->records().front().output_ids) < plan.config.prompts.new_tokens) {
      bench.check_interruption();
      goes_on = decoder->round();
    }
    bench.log().add(experiment_kind(plan.config.kind).entry,
                    {.cell = index,
                     .prompt = prompt,
                     .found = to_json(AcceptanceEntry{
                         seen.depths.positions(),
                         seen.depths.depths(),
                         {seen.siblings.sums().begin(), seen.siblings.sums().end()}})});
  }
}

}  // namespace

void run_drafter_acceptance(Workbench& bench) {
  const std::vector<Cell>& cells = bench.plan().cells;
  bench.progress().begin_phase("drafts", static_cast<double>(cells.size()));
  for (std::size_t index = 0; index < cells.size(); ++index) {
    if (!cells[index].is_plain()) observe_cell(bench, index);
    bench.progress().advance(1);
  }
  bench.progress().end_phase();
}

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
  std::vector<NamedFile> files{
      {"acceptance.csv", analysis::acceptance_table().csv(depths, axis_columns(plan))}};
  if (!siblings.empty())
    files.emplace_back("siblings.csv",
                       analysis::siblings_table().csv(siblings, axis_columns(plan)));
  return files;
}

}  // namespace speclab::experiments
