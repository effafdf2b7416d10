// The simulator against the slow reference, round by round and field by field: no tolerance.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "experiments/bench/simulation/reference_rounds.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/dialled_process.h"
#include "sim/monte_carlo/round_trace.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/clairvoyant_policy.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/sim/monte_carlo/support/synthetic_log.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using bench::ReferenceRounds;
using bench::ReferenceTree;
using speclab::testing::point;
using Process = std::shared_ptr<AcceptanceProcess>;

constexpr int kSequences = 12;
constexpr std::uint64_t kSeed = 77;
const TwoStateAcceptance kPlaces{
    .acceptance_rate = {0.95, 0.4}, .easy_to_hard = 0.15, .hard_to_easy = 0.3};

std::shared_ptr<const CostSurface> costs() {
  return std::make_shared<CostSurface>(std::vector<CostPoint>{
      point(CostKind::target, 1, 0, 1000.25), point(CostKind::target, 9, 0, 1400),
      point(CostKind::target, 1, 100, 1200), point(CostKind::target, 9, 100, 1700),
      point(CostKind::target, 1, 400, 2200), point(CostKind::draft, 1, 0, 80),
      point(CostKind::draft, 8, 0, 640), point(CostKind::overhead, 1, 0, 20),
      point(CostKind::overhead, 9, 0, 40)});
}

Process replayed() {
  TwoStateProcess text(kPlaces);
  return std::make_shared<ReplayProcess>(testing::synthetic_log(
      *make_policy("constant:6"), text, {.generations = 5, .new_tokens = 90, .seed = 2}));
}

std::vector<Process> processes_of_chance() {
  const std::vector<LawPair> pairs{{.p = {0.6, 0.3, 0.1}, .q = {0.4, 0.3, 0.3}},
                                   {.p = {0.1, 0.9, 0.0}, .q = {0.3, 0.3, 0.4}}};
  return {std::make_shared<PositionProcess>(std::vector{0.8}),
          std::make_shared<PositionProcess>(std::vector{0.97}),
          std::make_shared<PositionProcess>(std::vector{1.0}),
          std::make_shared<PositionProcess>(std::vector{0.0}),
          std::make_shared<PositionProcess>(std::vector{0.9, 0.5, 0.99, 1.0, 0.7}),
          std::make_shared<BetaProcess>(BetaParameters{.a = 3, .b = 1}),
          std::make_shared<TwoStateProcess>(kPlaces),
          std::make_shared<DialledProcess>(pairs, 0.3)};
}

std::vector<Process> processes() {
  std::vector<Process> all = processes_of_chance();
  all.push_back(replayed());
  all.push_back(std::make_shared<RoundLawProcess>(
      round_law(std::vector<double>{0.3, 0.0, 0.2, 0.5}, std::vector<double>{0.7, 0.8, 0.9})));
  return all;
}

struct Setting {
  AcceptanceProcess& process;
  const SpeculationLengthPolicy& policy;
  GenerationPlan plan{.new_tokens = 70, .prompt_tokens = 33};
  std::optional<ReferenceTree> tree{};
};

std::vector<RoundRecord> simulated(const Setting& setting, const CostSurface* surface,
                                   std::vector<int>* piece_sizes = nullptr) {
  std::vector<RoundRecord> rounds;
  SimulationOptions options{.generations = kSequences, .seed = kSeed};
  if (setting.tree) options.tree.emplace(setting.tree->shape, setting.tree->rank_acceptance);
  options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> piece) {
    rounds.insert(rounds.end(), piece.begin(), piece.end());
    if (piece_sizes != nullptr) piece_sizes->push_back(static_cast<int>(piece.size()));
  };
  simulate_generation(setting.policy, setting.process, setting.plan, surface, options);
  return rounds;
}

std::vector<RoundRecord> slow(const Setting& setting, const CostSurface* surface) {
  std::vector<RoundRecord> rounds;
  ReferenceRounds reference(setting.process, setting.plan, surface, kSeed);
  for (std::uint32_t sequence = 0; sequence < kSequences; ++sequence) {
    const auto policy = setting.policy.fresh();
    for (const RoundRecord& round : reference.generate(*policy, sequence, setting.tree))
      rounds.push_back(round);
  }
  return rounds;
}

void expect_equal(const std::vector<RoundRecord>& a, const std::vector<RoundRecord>& b,
                  const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto fields = [](const RoundRecord& r) {
      return std::vector<std::int64_t>{r.round,    r.position,  r.drafted,
                                       r.rows,     r.depth,     r.accepted,
                                       r.tested,   r.emitted,   static_cast<int>(r.next_kind),
                                       r.draft_ns, r.target_ns, r.verify_ns,
                                       r.other_ns};
    };
    ASSERT_EQ(fields(a[i]), fields(b[i])) << what << ", round " << i;
  }
}

TEST(SimulateGeneration, GivesTheRoundsOfTheSlowReferenceForEveryProcessAndPolicy) {
  const auto surface = costs();
  const AutoPolicy auto_policy({.costs = surface});
  for (const Process& process : processes())
    for (const char* name : {"none", "constant:1", "constant:5", "constant:8", "constant:13",
                             "heuristic", "confidence:0.5", "confidence:0.9", "auto"})
      for (const EndRule end_rule :
           {EndRule::drafts_in_full, EndRule::drafts_what_can_be_emitted}) {
        const auto policy = make_policy(name, &auto_policy);
        if (process->is_logged() && policy->stop_below() > 0.0) continue;
        const Setting setting{
            *process, *policy, {.new_tokens = 70, .prompt_tokens = 33, .end_rule = end_rule}};
        expect_equal(simulated(setting, surface.get()), slow(setting, surface.get()),
                     process->name() + " " + name);
      }
}

TEST(SimulateGeneration, GivesTheRoundsOfTheSlowReferenceForTrees) {
  const auto surface = costs();
  for (const Process& process : processes_of_chance())
    for (const char* shape : {"4", "2x2x1", "3x1", "parents:0,0,0,1,1,2,4", "1"})
      for (const char* name : {"constant:1", "constant:2", "constant:9", "heuristic", "none"}) {
        const auto policy = make_policy(name);
        const Setting setting{*process,
                              *policy,
                              {.new_tokens = 50, .prompt_tokens = 3},
                              ReferenceTree{TreeShape::parse(shape, 0), {0.6, 0.2, 0.1}}};
        expect_equal(simulated(setting, surface.get()), slow(setting, surface.get()),
                     process->name() + " " + shape + " " + name);
      }
}

TEST(SimulateGeneration, GivesTheSameRoundsWhateverPiecesTheyComeIn) {
  PositionProcess process = iid_process(0.6);
  const auto policy = make_policy("heuristic");
  const Setting setting{process, *policy, {.new_tokens = 3000}};
  std::vector<int> piece_sizes;
  expect_equal(simulated(setting, nullptr, &piece_sizes), slow(setting, nullptr), "long");
  EXPECT_EQ(piece_sizes[0], 256);
  EXPECT_GT(piece_sizes.size(), static_cast<std::size_t>(kSequences));
}

TEST(SimulateGeneration, TakesRowsFromThePlanWhereDraftsAreTrees) {
  PositionProcess process = iid_process(0.7);
  const auto policy = make_policy("constant:2");
  const Setting setting{process, *policy, {.new_tokens = 20, .rows_of_depth = {1, 4, 9}}};
  for (const RoundRecord& round : simulated(setting, nullptr)) {
    EXPECT_EQ(round.rows, 9);
    EXPECT_EQ(round.drafted, 8);
  }
}

TEST(SimulateGeneration, DraftsExactlyWhatIsAcceptedUnderAClairvoyantPolicy) {
  const ClairvoyantPolicy clairvoyant(12);
  for (const Process& process : processes()) {
    const Setting setting{*process, clairvoyant};
    const auto constant = make_policy("constant:12");
    const std::vector<RoundRecord> rounds = simulated(setting, nullptr),
                                   all = simulated({*process, *constant}, nullptr);
    ASSERT_FALSE(rounds.empty());
    for (const RoundRecord& round : rounds) EXPECT_EQ(round.depth, round.accepted);
    ASSERT_EQ(rounds.size(), all.size())
        << process->name();  // nothing that would be accepted is left undrafted
    for (std::size_t i = 0; i < rounds.size(); ++i) EXPECT_EQ(rounds[i].accepted, all[i].accepted);
  }
}

TEST(SimulateGeneration, AddsUpItsTotals) {
  BetaProcess process({.a = 2, .b = 1});
  const auto policy = make_policy("heuristic");
  RoundTotals totals;
  SimulationOptions options{.generations = 30, .seed = 5};
  options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> rounds) {
    for (const RoundRecord& round : rounds) totals.add(round);
  };
  const auto result = simulate_generation(*policy, process, {.new_tokens = 100}, nullptr, options);
  EXPECT_EQ(result.totals.emitted, 3000);
  EXPECT_EQ(result.totals.rounds, totals.rounds);
  EXPECT_EQ(result.totals.accepted, totals.accepted);
  EXPECT_EQ(result.totals.tested, totals.tested);
  EXPECT_EQ(result.totals.drafted, totals.drafted);
  EXPECT_EQ(result.totals.bonus, totals.bonus);
  EXPECT_NEAR(result.mean.rounds * 30, static_cast<double>(totals.rounds), 1e-9);
  EXPECT_EQ(result.totals.limited, 0);
}

TEST(SimulateGeneration, RefusesWhatAProcessOrPolicyCannotDo) {
  const auto logged = replayed();
  const auto constant = make_policy("constant:2"), confident = make_policy("confidence:0.5");
  SimulationOptions with_tree{.generations = 1,
                              .tree = DraftTree(TreeShape::parse("2x1", 0), {0.6, 0.2})};
  EXPECT_THROW(simulate_generation(*constant, *logged, {}, nullptr, with_tree), ContractError);
  EXPECT_THROW(simulate_generation(*confident, *logged, {}, nullptr, {.generations = 1}),
               ContractError);
  PositionProcess iid = iid_process(0.5);
  EXPECT_THROW(simulate_generation(*confident, iid, {}, nullptr, with_tree), ContractError);
  EXPECT_THROW(
      simulate_generation(*constant, iid, {.rows_of_depth = {1, 2, 3}}, nullptr, with_tree),
      ContractError);
  EXPECT_THROW(simulate_generation(*constant, iid, {.new_tokens = 0}, nullptr, {.generations = 1}),
               ContractError);
  EXPECT_THROW(
      simulate_generation(*constant, iid, {.prompt_tokens = std::numeric_limits<int>::max()},
                          nullptr, {.generations = 1}),
      ContractError);
}

TEST(DraftTree, RefusesRanksThatAreNoLaw) {
  const TreeShape shape = TreeShape::parse("2x1", 0);
  EXPECT_THROW(DraftTree(shape, {}), ContractError);
  EXPECT_THROW(DraftTree(shape, {0.5}), ContractError);
  EXPECT_THROW(DraftTree(shape, {0.8, 0.3}), ContractError);
  EXPECT_THROW(DraftTree(shape, {0.8, -0.1}), ContractError);
  EXPECT_THROW(DraftTree(shape, {std::nan(""), 0.1}), ContractError);
}

TEST(AcceptanceProcesses, RefuseParametersOutOfRange) {
  for (const double wrong : {-0.1, 1.2, std::nan("")}) {
    EXPECT_THROW(iid_process(wrong), ContractError) << wrong;
    EXPECT_THROW(PositionProcess({0.5, wrong}), ContractError) << wrong;
    EXPECT_THROW(TwoStateProcess({.acceptance_rate = {wrong, 0.5}}), ContractError) << wrong;
    EXPECT_THROW(TwoStateProcess({.easy_to_hard = wrong}), ContractError) << wrong;
    EXPECT_THROW(
        RoundLawProcess({{.depth = 1, .accepted = 0, .probability = wrong > 1 ? -wrong : wrong}}),
        ContractError)
        << wrong;
  }
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(BetaProcess({.a = wrong, .b = 1}), ContractError) << wrong;
  EXPECT_THROW(PositionProcess({}), ContractError);
  EXPECT_THROW(RoundLawProcess({}), ContractError);
  EXPECT_THROW(DialledProcess({}, 0.0), ContractError);
  EXPECT_THROW(ReplayProcess({}), DataError);
  EXPECT_THROW(ClairvoyantPolicy(-1), ConfigError);
}

}  // namespace
}  // namespace speclab::sim
