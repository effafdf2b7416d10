#include "experiments/drivers/kinds/kind_entries.h"

#include <algorithm>

#include "analysis/stats/significance.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/atlas_rules.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan_parts.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kTrials = 4;  ///< of every rule over every logged draft

/// What a rule did over the drafts of a cell.
class RuleTally {
 public:
  explicit RuleTally(const AtlasRule& rule) : rule_(rule) {}

  void add(const LoggedChain& chain, RuleCounter& counter) {
    ++rows_;
    distance_ += closed_form_distance(rule_, chain);
    const double acceptance = std::clamp(closed_form_acceptance(rule_, chain), 0.0, 1.0);
    const std::vector<double> coin{1.0 - acceptance, acceptance};
    for (int i = 0; i < kTrials; ++i) acceptances_.add(coin);
    accepted_ += counter.count_accepted(rule_, kTrials);
    if (!rule_.takes_chains) return;
    const std::vector<double> lengths = closed_form_lengths(rule_, chain);
    for (int i = 0; i < kTrials; ++i) lengths_.add(lengths);
    stood_ += counter.count_lengths(rule_, kTrials);
  }

  AtlasRuleEntry entry() const {
    AtlasRuleEntry entry{.rule = rule_.name,
                         .drafts = rule_.drafts,
                         .lossless = rule_.lossless,
                         .distance = distance_ / static_cast<double>(rows_),
                         .trials = rows_ * kTrials,
                         .acceptance = counted(acceptances_, accepted_, 0.0)};
    if (rule_.takes_chains) entry.tokens_per_round = counted(lengths_, stood_, 1.0);
    return entry;
  }

 private:
  /// @param more  what a mean has beyond its count: the token that every round adds
  analysis::CountedMean counted(const analysis::CountLaw& law, std::int64_t count,
                                double more) const {
    const auto mean = [&](double total) {
      return more + total / static_cast<double>(rows_ * kTrials);
    };
    const analysis::Interval range = law.central_range(0.95);
    return {mean(law.mean()),
            mean(static_cast<double>(count)),
            {mean(range.low), mean(range.high)},
            law.two_sided_p(count)};
  }

  AtlasRule rule_;
  std::int64_t rows_ = 0, accepted_ = 0, stood_ = 0;
  double distance_ = 0.0;
  analysis::CountLaw acceptances_, lengths_;
};

/// Decodes the prompts of a cell by the ratio test and shows every draft to every rule.
AtlasEntry log_cell(Workbench& bench, std::size_t index) {
  const Cell& cell = bench.plan().cells[index];
  std::vector<RuleTally> tallies(atlas_rules().begin(), atlas_rules().end());
  AtlasEntry entry;
  engines::DecoderOptions options = decoder_options(bench.plan(), cell.setting);
  options.verifier = "rejection";
  options.on_draft = [&](const Draft& draft, const TargetLaws<float>& target_laws) {
    if (draft.tree.drafted() == 0) return;
    const LoggedChain chain = logged_chain(draft, target_laws);
    RuleCounter counter(chain, ~bench.plan().config.seed, static_cast<std::uint32_t>(entry.rows++));
    for (RuleTally& tally : tallies) tally.add(chain, counter);
  };
  const engines::LoadedModel& loaded = bench.loaded().model_of(cell.setting);
  const auto decoder =
      bench.loaded().engines.make_decoder(*loaded.model, loaded.tokenizer, options);
  const auto policy = make_policy(cell.setting.policy);
  for (std::size_t prompt = 0; prompt < bench.plan().prompts.size(); ++prompt) {
    if (cell.category != "all" && cell.category != bench.plan().prompts[prompt].category) continue;
    bench.check_interruption();
    decoder->begin({{static_cast<std::uint32_t>(prompt),
                     bench.loaded().texts_of(cell.setting.model).prompts[prompt]}},
                   *policy);
    while (decoder->round()) {
    }
  }
  if (entry.rows == 0) return entry;
  for (const RuleTally& tally : tallies) entry.rules.push_back(tally.entry());
  return entry;
}

}  // namespace

void run_rule_atlas(Workbench& bench) {
  const std::vector<Cell>& cells = bench.plan().cells;
  bench.progress().begin_phase("rules", static_cast<double>(cells.size()));
  for (std::size_t index = 0; index < cells.size(); ++index) {
    if (!cells[index].is_plain() && !bench.log().cell_entries().contains({index, std::nullopt}))
      bench.log().add(experiment_kind(bench.plan().config.kind).entry,
                      {.cell = index, .found = to_json(log_cell(bench, index))});
    bench.progress().advance(1);
  }
  bench.progress().end_phase();
}

void name_fields(const auto& bind, Is<analysis::CountedMean> auto& mean) {
  bind("closed_form", mean.closed_form, "counted", mean.counted, "low", mean.range.low, "high",
       mean.range.high, "p", mean.p);
}

void name_fields(const auto& bind, Is<AtlasRuleEntry> auto& r) {
  bind("rule", r.rule, "drafts", r.drafts, "lossless", r.lossless, "distance", r.distance, "trials",
       r.trials, "acceptance", r.acceptance, "block", r.tokens_per_round);
}

void name_fields(const auto& bind, Is<AtlasEntry> auto& entry) {
  bind("rows", entry.rows, "rules", entry.rules);
}

Json to_json(const AtlasEntry& entry) { return json_of(entry); }
AtlasEntry atlas_entry(const Json& json) { return value_of<AtlasEntry>(json); }

std::vector<NamedFile> rule_atlas_tables(const Plan& plan, const RunLog& log) {
  std::vector<analysis::AtlasRow> rows;
  for (const auto& [place, found] : log.cell_entries()) {
    const Cell& cell = plan.cells[found.cell];
    const AtlasEntry entry = found_in(found, atlas_entry);
    for (const AtlasRuleEntry& rule : entry.rules)
      rows.push_back({.cell_id = cell.id,
                      .category = cell.category,
                      .axes = cell.written(),
                      .rule = rule.rule,
                      .drafts = rule.drafts,
                      .lossless = rule.lossless,
                      .distance = rule.distance,
                      .logged_drafts = entry.rows,
                      .trials = rule.trials,
                      .acceptance = rule.acceptance,
                      .tokens_per_round = rule.tokens_per_round});
  }
  return {{"atlas.csv", analysis::atlas_table().csv(rows, axis_columns(plan))}};
}

}  // namespace speclab::experiments
