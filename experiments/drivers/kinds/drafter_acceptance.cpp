#include "experiments/drivers/kinds/drafter_acceptance.h"

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/draft_sums.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/kinds/sibling_chances.h"
#include "experiments/drivers/measure/workbench.h"
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
  const engines::LoadedModel& loaded = bench.loaded().models.at(cell.setting.model);
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

}  // namespace speclab::experiments
