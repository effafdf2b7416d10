// Rounds simulated a second, on one core, each drawn by its own key and handed over as a record.
// Every contestant's first sequences must equal the slow reference round by round, and memory must
// not grow with the rounds, before anything is timed.
//
// What it should cost, foretold from counts (Zen 3, 2.45 to 3.5 GHz): a Philox block is 20
// multiplications of 32 by 32 bits, in AVX2 80 vector operations for four blocks, at best two
// cycles a round of the cipher: 5 cycles a draw, 10 with spills and latencies. Counting a run below
// 8 thresholds is 16 vector operations for four rounds: 2 cycles. A record is 72 bytes, nine stores
// into 18 kB that stay in the first-level cache, and some 15 integer operations: 12 cycles.
// Together about 25 cycles, 8 ns, 120 million rounds a second for i.i.d. rounds under a constant
// length. Times from a surface of two contexts are three divisions and 20 more operations, a policy
// two calls through a table: 40 cycles more, 50 million. A generation of 128 tokens adds a policy
// object and a block half used. So what limits is the core's arithmetic and the branches on
// verdicts, not memory.
//
// For figures: taskset -c 1 simulation_bench --benchmark_repetitions=10
// --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/bench/bench_main.h"
#include "experiments/bench/simulation/example_costs.h"
#include "experiments/bench/simulation/reference_rounds.h"
#include "sim/core/rng_stream.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/dialled_process.h"
#include "sim/monte_carlo/round_trace.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/clairvoyant_policy.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"

namespace speclab::bench {
namespace {

/// The most memory that this process ever had resident, bytes.
std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

constexpr std::uint64_t kSeed = 17;
constexpr int kCheckedSequences = 20;
constexpr std::int64_t kMemoryAllowance =
    1 << 20;  ///< bytes that a hundred times as many rounds may add

using Process = std::shared_ptr<sim::AcceptanceProcess>;
using Policy = std::shared_ptr<const SpeculationLengthPolicy>;

/// One line of the table.
struct Contestant {
  std::string name;
  Process process;
  Policy policy;
  sim::GenerationPlan plan;
  std::shared_ptr<const sim::CostSurface> costs;
  std::optional<ReferenceTree> tree{};
};

sim::SimulationOptions options_of(const Contestant& contestant, int generations) {
  sim::SimulationOptions options{.generations = generations, .seed = kSeed};
  if (contestant.tree)
    options.tree.emplace(contestant.tree->shape, contestant.tree->rank_acceptance);
  return options;
}

bool equal(const RoundRecord& a, const RoundRecord& b) {
  return a.round == b.round && a.position == b.position && a.drafted == b.drafted &&
         a.rows == b.rows && a.depth == b.depth && a.accepted == b.accepted &&
         a.tested == b.tested && a.emitted == b.emitted && a.next_kind == b.next_kind &&
         a.draft_ns == b.draft_ns && a.target_ns == b.target_ns && a.verify_ns == b.verify_ns &&
         a.other_ns == b.other_ns;
}

[[noreturn]] void fail(const Contestant& contestant, const std::string& what) {
  throw Error(ExitCode::invalid_measurement, contestant.name + ": " + what);
}

/// The rounds of the first sequences against the slow reference, which a clairvoyant policy has
/// not.
void expect_reference(const Contestant& contestant) {
  if (contestant.policy->name().starts_with("clairvoyant")) return;
  std::vector<RoundRecord> fast;
  sim::SimulationOptions options =
      options_of(contestant, contestant.plan.new_tokens > 10'000 ? 1 : kCheckedSequences);
  options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> rounds) {
    fast.insert(fast.end(), rounds.begin(), rounds.end());
  };
  sim::GenerationPlan plan = contestant.plan;
  plan.new_tokens = std::min(plan.new_tokens, 10'000);
  sim::simulate_generation(*contestant.policy, *contestant.process, plan, contestant.costs.get(),
                           options);
  ReferenceRounds reference(*contestant.process, plan, contestant.costs.get(), kSeed);
  std::size_t at = 0;
  for (int sequence = 0; sequence < options.generations; ++sequence) {
    const auto policy = contestant.policy->fresh();
    for (const RoundRecord& round :
         reference.generate(*policy, static_cast<std::uint32_t>(sequence), contestant.tree))
      if (at >= fast.size() || !equal(fast[at++], round))
        fail(contestant, "round " + std::to_string(round.round) + " of sequence " +
                             std::to_string(sequence) + " is not the reference's");
  }
  if (at != fast.size()) fail(contestant, "more rounds than the reference");
}

/// Simulates and looks at every record. @return rounds
std::int64_t simulate(const Contestant& contestant, int generations,
                      const sim::GenerationPlan& plan) {
  std::int64_t accepted = 0;
  sim::SimulationOptions options = options_of(contestant, generations);
  options.on_rounds = [&accepted](std::uint32_t, std::span<const RoundRecord> rounds) {
    for (const RoundRecord& round : rounds) accepted += round.accepted;
  };
  const auto result = sim::simulate_generation(*contestant.policy, *contestant.process, plan,
                                               contestant.costs.get(), options);
  if (accepted != result.totals.accepted) fail(contestant, "the records do not add up");
  return result.totals.rounds;
}

void expect_flat_memory(const Contestant& contestant) {
  sim::GenerationPlan plan = contestant.plan;
  plan.new_tokens = std::min(plan.new_tokens, 10'000);
  simulate(contestant, 1, plan);
  const std::int64_t before = peak_memory_bytes();
  simulate(contestant, contestant.plan.new_tokens > 10'000 ? 1 : 100, contestant.plan);
  if (peak_memory_bytes() - before > kMemoryAllowance)
    fail(contestant, "memory grows with the number of rounds");
}

void add(const Contestant& contestant) {
  expect_reference(contestant);
  expect_flat_memory(contestant);
  benchmark::RegisterBenchmark(contestant.name.c_str(), [contestant](benchmark::State& state) {
    std::int64_t rounds = 0;
    for (auto _ : state)
      rounds +=
          simulate(contestant, contestant.plan.new_tokens > 10'000 ? 1 : 400, contestant.plan);
    state.counters["rounds_per_s"] =
        benchmark::Counter(static_cast<double>(rounds), benchmark::Counter::kIsRate);
    state.counters["peak_memory_bytes"] = static_cast<double>(peak_memory_bytes());
  });
}

/// The generator alone: what nothing that draws a key a round can beat.
void add_generator() {
  benchmark::RegisterBenchmark("generator/philox4x32_10", [](benchmark::State& state) {
    std::vector<std::uint64_t> bits(4096);
    const RngStream stream(kSeed);
    StreamKey key{0, 0, Purpose::accept, 1};
    for (auto _ : state) {
      fill_bits(stream, key, bits);
      key.position += 4096;
      benchmark::DoNotOptimize(bits.data());
    }
    state.counters["draws_per_s"] = benchmark::Counter(
        4096.0 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  });
}

/// Rounds of a constant length over text of two states, as an engine would log them.
Process replayed() {
  std::vector<sim::LoggedGeneration> log(48);
  sim::TwoStateProcess text(
      {.acceptance_rate = {0.95, 0.5}, .easy_to_hard = 0.1, .hard_to_easy = 0.2});
  sim::SimulationOptions options{.generations = 48, .seed = kSeed};
  options.on_rounds = [&log](std::uint32_t sequence, std::span<const RoundRecord> rounds) {
    log[sequence].rounds.insert(log[sequence].rounds.end(), rounds.begin(), rounds.end());
  };
  sim::simulate_generation(*make_policy("constant:5"), text, {.new_tokens = 256}, nullptr, options);
  return std::make_shared<sim::ReplayProcess>(log);
}

std::vector<std::pair<std::string, Process>> processes() {
  const sim::LawPair pair{.p = {0.6, 0.3, 0.1}, .q = {0.4, 0.3, 0.3}};
  return {
      {"iid", std::make_shared<sim::PositionProcess>(std::vector{0.8})},
      {"per_position", std::make_shared<sim::PositionProcess>(std::vector{0.9, 0.8, 0.75, 0.7})},
      {"beta_mixed", std::make_shared<sim::BetaProcess>(sim::BetaParameters{.a = 8, .b = 2})},
      {"two_state", std::make_shared<sim::TwoStateProcess>(sim::TwoStateAcceptance{
                        .acceptance_rate = {0.95, 0.5}, .easy_to_hard = 0.1, .hard_to_easy = 0.2})},
      {"dialled", std::make_shared<sim::DialledProcess>(std::span(&pair, 1), 0.2)},
      {"replay", replayed()}};
}

}  // namespace

void run() {
  const auto iid = std::make_shared<sim::PositionProcess>(std::vector{0.8});
  const auto surface = example_costs();
  const sim::GenerationPlan generation{.new_tokens = 128, .prompt_tokens = 64};
  add_generator();
  add({"iid_rounds/constant:5",
       iid,
       make_policy("constant:5"),
       {.new_tokens = 4'000'000},
       nullptr});
  const sim::AutoPolicy auto_policy({.costs = surface});
  for (const char* policy : {"constant:5", "heuristic", "confidence:0.4", "auto"})
    add({std::string("policy/") + policy, iid, make_policy(policy, &auto_policy), generation,
         surface});
  add({"policy/clairvoyant", iid, std::make_shared<ClairvoyantPolicy>(20), generation, surface});
  for (const auto& [name, process] : processes())
    add({"process/" + name, process, make_policy("heuristic"), generation, surface});
  add({"replay/constant:4", replayed(), make_policy("constant:4"), {.new_tokens = 256}, surface});
  add({"tree/3x2x1", iid, make_policy("constant:3"), generation, surface,
       ReferenceTree{TreeShape::parse("3x2x1", 0), {0.6, 0.2, 0.1}}});
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
