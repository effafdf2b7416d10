#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/pilots.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/measure/cost_samples.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/statistics/distributions.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using sim::CostKind;
using testing::SmallExperiment;

constexpr int kNewTokens = 24;
constexpr double kTargetNs = 1e7, kRowNs = 1e5, kDraftNs = 1e6, kOverheadNs = 5e4,
                 kPromptTokenNs = 1e6;

CostEntry cost(Setting setting, std::optional<Regime> regime, CostKind kind, int rows, double ns) {
  setting.model = "fake";
  return {.setting = analysis::setting_of_costs(setting),
          .regime = regime,
          .kind = kind,
          .rows = rows,
          .context = 0,
          .ns = {ns, {}, 1}};
}

/// The costs that fake engines have.
std::vector<CostEntry> fake_costs(const Plan& plan) {
  std::vector<CostEntry> costs{
      cost({.drafter = "none"}, {}, CostKind::prefill, 1, kPromptTokenNs),
      cost({.drafter = "none"}, {}, CostKind::prefill, 100, 100 * kPromptTokenNs)};
  for (int rows = 1; rows <= 16; ++rows)
    costs.push_back(
        cost({.drafter = "none"}, {}, CostKind::target, rows, kTargetNs + kRowNs * rows));
  for (const Regime regime : {Regime::greedy, Regime::sampled})
    for (const Setting& drafting : plan.draftings) {
      costs.push_back(cost(drafting, regime, CostKind::overhead, 1, kOverheadNs));
      for (int depth = 1; depth <= max_length(drafting, 4); ++depth)
        costs.push_back(cost(drafting, regime, CostKind::draft, depth, kDraftNs * depth));
    }
  return costs;
}

/// A log with pilots and these costs, and the plan's prompts as tokens.
struct Prepared {
  SmallExperiment experiment;
  Plan plan;
  testing::FakeEngines engines{std::make_shared<testing::FakeEnginesState>()};
  LoadedPlan loaded;
  RunLog log;

  explicit Prepared(const std::vector<std::string>& settings)
      : plan(experiment.plan(settings)),
        loaded(load_plan(plan, engines)),
        log((make_folder(experiment.folder("run")), experiment.folder("run"))) {
    Progress silent(Progress::Style::silent);
    Workbench bench(loaded, log, silent, {});
    run_pilots(bench);
    log.add(fake_costs(plan));
  }
};

TEST(Predictions, PlainDecodingIsPrefillAndSteps) {
  const Prepared prepared({"axes.drafter=none", "axes.temperature=0.0"});
  const auto entries = predict_cells(prepared.loaded, prepared.log, prepared.log.costs());
  ASSERT_EQ(entries.size(), 1u);
  double prompt_tokens = 0;
  for (const auto& ids : prepared.loaded.texts_of("fake").prompts)
    prompt_tokens += static_cast<double>(ids.size()) / 4;
  EXPECT_NEAR(entries[0].walltime_ns,
              prompt_tokens * kPromptTokenNs + kNewTokens * (kTargetNs + kRowNs + kOverheadNs),
              1.0);
  EXPECT_EQ(entries[0].speedup, 1.0);
  EXPECT_EQ(entries[0].tokens_per_round, 1.0);
  EXPECT_FALSE(entries[0].acceptance_rate);
}

/// Defect: the drafter's reading of the prompt is left out of the walltime that is foretold.
TEST(Predictions, ChargeTheDraftersReadingOfThePrompt) {
  const Prepared prepared({"axes.drafter=bigram", "axes.temperature=0.0"});
  std::vector<CostEntry> costs = prepared.log.costs();
  const auto without = predict_cells(prepared.loaded, prepared.log, costs);
  constexpr double kReadingNs = 3e6;
  const Setting& drafting = prepared.plan.draftings.back();
  ASSERT_FALSE(drafting.is_plain());
  costs.push_back(cost(drafting, Regime::greedy, CostKind::prefill, 1, kReadingNs));
  const auto with = predict_cells(prepared.loaded, prepared.log, costs);
  ASSERT_EQ(with.size(), 2u);
  EXPECT_EQ(with[0].walltime_ns, without[0].walltime_ns) << "plain decoding";
  EXPECT_NEAR(with[1].walltime_ns - without[1].walltime_ns, kReadingNs, 1.0);
}

/// 2,400 tokens a cell: three standard errors are 3 %.
void expect_predictions_near_measurements(Prepared& prepared) {
  Progress silent(Progress::Style::silent);
  const auto entries = predict_cells(prepared.loaded, prepared.log, prepared.log.costs());
  Workbench bench(prepared.loaded, prepared.log, silent, {});
  for (const PredictionEntry& entry : entries) {
    const Cell& cell = prepared.plan.cells[entry.cell];
    double total_ns = 0;
    for (std::size_t i = 0; i < prepared.plan.prompts.size(); ++i) {
      const std::string& category = prepared.plan.prompts[i].category;
      const auto policy = cell_policy(prepared.plan, prepared.log, cell, category, 10);
      const GenerationRecord record =
          bench
              .generate(
                  bench.settings(cell.setting, category),
                  {{static_cast<std::uint32_t>(i), prepared.loaded.texts_of("fake").prompts[i]}},
                  *policy)
              .front();
      total_ns += static_cast<double>(record.prefill_ns + record.decode_ns);
    }
    EXPECT_NEAR(entry.walltime_ns / (total_ns / 4), 1.0, 0.05) << cell.id;
  }
}

TEST(Predictions, AreNearWhatIsMeasured) {
  Prepared prepared({"axes.temperature=0.0", "prompts.new_tokens=600", "costs.new_tokens=24"});
  expect_predictions_near_measurements(prepared);
}

/// Other pilots do not tell where confidence ends chains.
TEST(Predictions, OfConfidenceComeFromPilotsOfItsOwn) {
  const Prepared prepared({"axes.drafter=bigram", "axes.temperature=0.0",
                           "axes.policy=[\"constant:4\", \"confidence:0.5:2\"]"});
  EXPECT_EQ(prepared.plan.pilots.size(), 2u * 2u) << "a pilot a category, for each of two";
  for (std::size_t i = 0; i < prepared.plan.pilots.size(); ++i)
    for (const RoundRecord& round : prepared.log.pilots().at(i).rounds)
      EXPECT_LE(round.depth, prepared.plan.pilots[i].setting.policy.empty() ? 4 : 2);
  const auto entries = predict_cells(prepared.loaded, prepared.log, prepared.log.costs());
  ASSERT_EQ(entries.size(), 3u);
  const Cell& cell = prepared.plan.cells[entries[2].cell];
  EXPECT_EQ(cell.setting.policy, "confidence:0.5:2");
  const auto rounds = pilot_rounds(prepared.plan, prepared.log, {cell.setting, "chat"});
  ASSERT_FALSE(rounds.front().empty());
  EXPECT_LE(entries[2].tokens_per_round, 3.0);
  EXPECT_GT(entries[1].tokens_per_round, entries[2].tokens_per_round)
      << "four tokens a round and two";
}

/// Nor which length follows the acceptance of a text.
TEST(Predictions, OfTrackingComeFromPilotsOfItsOwn) {
  Prepared prepared({"axes.drafter=bigram", "axes.temperature=0.0", "prompts.new_tokens=600",
                     "axes.policy=[\"tracking:0.1:4\"]"});
  for (const Pilot& pilot : prepared.plan.pilots) EXPECT_EQ(pilot.setting.policy, "tracking:0.1:4");
  std::set<int> depths;
  for (const RoundRecord& round : prepared.log.pilots().at(0).rounds) depths.insert(round.depth);
  EXPECT_GT(depths.size(), 1u);
  expect_predictions_near_measurements(prepared);
}

/// Nor how many nodes a tree has whose nodes the policy counts, nor how deep it is: the fake's has
/// a level for every two nodes.
TEST(Predictions, OfAdaptiveTreesComeFromPilotsOfTheirOwn) {
  Prepared prepared({"axes.drafter=bigram", "axes.tree=best_first:adaptive", "axes.temperature=0.0",
                     "prompts.new_tokens=600", "axes.policy=[\"heuristic\", \"constant:5\"]"});
  EXPECT_EQ(prepared.plan.pilots.size(), 2u * 2u) << "a pilot a category, for each of two";
  const auto rows =
      pilot_rows_of_depth(prepared.plan, prepared.log,
                          {pilot_setting(prepared.plan, prepared.plan.cells.back()), "chat"});
  EXPECT_EQ(rows, (std::vector<int>{1, 2, 3, 6}))
      << "three levels were seen, of shallower drafts one node a level is known";
  expect_predictions_near_measurements(prepared);
}

TEST(PilotRounds, LeaveOutWhatTheEndCut) {
  const Prepared prepared({"axes.drafter=bigram", "axes.temperature=0.0"});
  const PilotKey key{pilot_setting(prepared.plan, prepared.plan.cells.back()), "chat"};
  const int length = pilot_length(prepared.plan, key.setting);
  EXPECT_EQ(length, 4);
  const auto rounds = pilot_rounds(prepared.plan, prepared.log, key);
  ASSERT_EQ(rounds.size(), 1u);
  for (const RoundRecord& round : rounds.front()) EXPECT_EQ(round.depth, length);
  EXPECT_LT(rounds.front().size(), prepared.log.pilots().at(0).rounds.size());
}

TEST(PairCosts, AreHeldConstantOutsideWhatWasMeasured) {
  const Prepared prepared({"axes.drafter=bigram", "axes.temperature=0.0"});
  const analysis::PairCosts costs =
      analysis::pair_costs(prepared.log.costs(), prepared.plan.cells.back().setting);
  EXPECT_EQ(costs.surface->t_draft_ns(4, 0), 4 * kDraftNs);
  EXPECT_EQ(costs.surface->t_draft_ns(9, 5000), 4 * kDraftNs);
  EXPECT_EQ(costs.surface->overhead_ns(7, 10), kOverheadNs);
  EXPECT_EQ(costs.drafter_prefill_ns(100), 0.0);
}

/// Delete-one jackknife over three pilots, and the spread of two measured prompts beside theirs,
/// for the one category that has prompts.
TEST(Predictions, HaveTheIntervalOfTheSpreadAmongPilots) {
  const Prepared prepared({"axes.temperature=0.0", "axes.drafter=bigram",
                           "prompts.categories=[\"chat\"]", "pilot.per_category=3"});
  const PredictionEntry entry =
      predict_cells(prepared.loaded, prepared.log, prepared.log.costs()).back();
  const Cell& cell = prepared.plan.cells.back();
  const auto costs = analysis::pair_costs(prepared.log.costs(), cell.setting);
  const int prompt_tokens = static_cast<int>((prepared.loaded.texts_of("fake").prompts[0].size() +
                                              prepared.loaded.texts_of("fake").prompts[1].size()) /
                                             2);
  const sim::GenerationPlan generation{
      .new_tokens = kNewTokens,
      .prompt_tokens = prompt_tokens,
      .rows_of_depth = rows_of_depth(cell.setting, prepared.plan.max_length()),
      .end_rule = sim::EndRule::drafts_what_can_be_emitted};
  std::vector<double> ns;
  for (std::size_t left_out = 0; left_out < 3; ++left_out) {
    const auto laws = pilot_laws(prepared.plan, prepared.log,
                                 {pilot_setting(prepared.plan, cell), "chat"}, left_out);
    ns.push_back(
        2 * sim::predict_generation(sim::truncated(laws.front(), 3), generation, *costs.surface)
                .decode_ns());
  }
  const double mean = (ns[0] + ns[1] + ns[2]) / 3;
  double squares = 0;
  for (const double one : ns) squares += (one - mean) * (one - mean);
  ASSERT_GT(squares, 0.0);
  const double reach =
      4.302652729911275 * std::sqrt(squares * 2 / 3 * (1 + 3.0 / 2)) / (2 * entry.walltime_ns);
  ASSERT_TRUE(entry.speedup_interval);
  EXPECT_NEAR(entry.speedup_interval->low, entry.speedup * std::exp(-reach), 1e-9);
  EXPECT_NEAR(entry.speedup_interval->high, entry.speedup * std::exp(reach), 1e-9);
}

/// Costs of some kinds took so many times as long in each of four passes; all others took the same
/// in all.
std::vector<CostEntry> in_passes(std::vector<CostEntry> costs, const std::set<CostKind>& kinds,
                                 const std::array<double, 4>& factors) {
  for (CostEntry& cost : costs) {
    const double ns = cost.ns.value;
    for (int pass = 0; pass < 4; ++pass)
      cost.ns_of_pass.push_back(
          {pass, ns * (kinds.contains(cost.kind) ? factors[static_cast<std::size_t>(pass)] : 1.0)});
  }
  return costs;
}

double jackknife_variance(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  return (squares - sum * sum / 4) * 3 / 4;
}

/// Three pilots and two prompts, which plain decoding has in three repetitions and the bigram in
/// one.
class IntervalsOverPasses : public ::testing::Test {
 protected:
  static constexpr double kQuantileOfTwo = 4.302652729911275;
  double reach_of(const std::vector<CostEntry>& costs) const {
    const PredictionEntry entry = predict_cells(prepared_.loaded, prepared_.log, costs).back();
    return std::log(entry.speedup_interval.value().high / entry.speedup);
  }
  /// By pass that is left out: logarithms of the walltimes of plain decoding and of the bigram, and
  /// of the speed-up.
  std::array<std::vector<double>, 3> without_passes(const std::vector<CostEntry>& costs) const {
    std::array<std::vector<double>, 3> logarithms;
    for (int pass = 0; pass < 4; ++pass) {
      const auto entries =
          predict_cells(prepared_.loaded, prepared_.log, costs_without_pass(costs, pass));
      logarithms[0].push_back(std::log(entries.front().walltime_ns));
      logarithms[1].push_back(std::log(entries.back().walltime_ns));
      logarithms[2].push_back(std::log(entries.back().speedup));
    }
    return logarithms;
  }
  const Prepared prepared_{{"axes.temperature=0.0", "axes.drafter=bigram",
                            "prompts.categories=[\"chat\"]", "pilot.per_category=3",
                            "experiment.plain_repetitions=3"}};
};

TEST_F(IntervalsOverPasses, AreThoseOfThePilotsWherePassesAreAlike) {
  EXPECT_NEAR(reach_of(in_passes(prepared_.log.costs(), {CostKind::target}, {1, 1, 1, 1})),
              reach_of(prepared_.log.costs()), 1e-12);
}

/// What the passes add to the variance, by a jackknife: once of the costs, and of a mean over six
/// plain generations and over the bigram's two, each as variable as one of the four passes; and the
/// degrees of freedom of the sum.
TEST_F(IntervalsOverPasses, HoldHowTheyDifferInTheCostsAndInTheGenerationsToCome) {
  const std::vector<CostEntry> costs =
      in_passes(prepared_.log.costs(), {CostKind::target, CostKind::draft}, {0.5, 4.0, 0.25, 6.0});
  const auto [plain, bigram, speedup] = without_passes(costs);
  const double without = reach_of(prepared_.log.costs());
  const std::array<std::pair<double, double>, 4> parts{{{std::pow(without / kQuantileOfTwo, 2), 2},
                                                        {jackknife_variance(speedup), 3},
                                                        {jackknife_variance(plain) * 4 / 6, 3},
                                                        {jackknife_variance(bigram) * 4 / 2, 3}}};
  double variance = 0, squares = 0;
  for (const auto& [part, degrees] : parts) variance += part, squares += part * part / degrees;
  EXPECT_NEAR(reach_of(costs),
              sim::student_t_quantile(0.975, variance * variance / squares) * std::sqrt(variance),
              1e-9);
  EXPECT_GT(reach_of(costs), 2 * without);
}

/// A machine that is fast or slow for plain and drafted rounds alike leaves speed-ups of the costs
/// as they are, not those of single generations.
TEST_F(IntervalsOverPasses, AreWiderWhereThePaceOfAllChanges) {
  const std::vector<CostEntry> costs =
      in_passes(prepared_.log.costs(),
                {CostKind::target, CostKind::draft, CostKind::overhead, CostKind::prefill},
                {1.0, 9.0, 1.0, 9.0});
  EXPECT_NEAR(jackknife_variance(without_passes(costs)[2]), 0, 1e-12);
  EXPECT_GT(reach_of(costs), 1.5 * reach_of(prepared_.log.costs()));
}

TEST(Predictions, HaveNoIntervalWhereACategoryHasOnePilot) {
  const Prepared prepared({"axes.temperature=0.0"});
  for (const PredictionEntry& entry :
       predict_cells(prepared.loaded, prepared.log, prepared.log.costs()))
    EXPECT_FALSE(entry.speedup_interval);
}

}  // namespace
}  // namespace speclab::experiments
