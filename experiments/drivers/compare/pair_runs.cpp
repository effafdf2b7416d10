#include "experiments/drivers/compare/pair_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using Clock = std::chrono::steady_clock;

const BenchResult& result_of(const BenchOutput& output, const std::string& name,
                             const BenchProgram& program) {
  if (const BenchResult* result = output.find(name)) return *result;
  throw Error(ExitCode::invalid_measurement,
              fmt::format("{}: benchmark '{}' is in its list and was not run", program.path(),
                          escaped(name)));
}

/// One family of one pair.
class FamilyPair {
 public:
  FamilyPair(const BenchProgram& base, const BenchProgram& head, const PairPlan& plan)
      : base_(base), head_(head), plan_(plan) {}

  void run(const std::vector<std::string>& names, int pair, bool base_first,
           std::vector<analysis::BenchPairRow>& rows) const {
    const BenchRun run{.filter = filter_of(names), .repetitions = plan_.repetitions};
    BenchOutput base, head;
    if (base_first) base = base_.run(run);
    head = head_.run(run);
    if (!base_first) base = base_.run(run);
    for (const std::string& name : names) {
      const BenchResult &b = result_of(base, name, base_), &h = result_of(head, name, head_);
      rows.push_back({.benchmark = name,
                      .pair = pair,
                      .look = plan_.look,
                      .base_first = base_first,
                      .base_ns = b.cpu_ns,
                      .head_ns = h.cpu_ns,
                      .base_wall_ns = b.wall_ns,
                      .head_wall_ns = h.wall_ns,
                      .base_checksum = b.checksum,
                      .head_checksum = h.checksum});
    }
  }

 private:
  const BenchProgram &base_, &head_;
  const PairPlan& plan_;
};

}  // namespace

std::vector<std::vector<std::string>> families_of(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> families;
  for (const std::string& name : names) {
    const auto family = std::ranges::find_if(
        families, [&](const auto& others) { return family_of(others.front()) == family_of(name); });
    if (family == families.end())
      families.push_back({name});
    else
      family->push_back(name);
  }
  return families;
}

FamilySeconds run_pairs(
    const BenchProgram& base, const BenchProgram& head, const PairPlan& plan,
    const std::function<void(const std::vector<analysis::BenchPairRow>&)>& on_pair) {
  const RngStream stream(plan.seed);
  const auto families = families_of(plan.benchmarks);
  const FamilyPair family_pair(base, head, plan);
  FamilySeconds seconds;
  for (int pair = plan.first_pair; pair < plan.first_pair + plan.pairs; ++pair) {
    std::vector<analysis::BenchPairRow> rows;
    for (std::size_t i = 0; i < families.size(); ++i) {
      const auto begin = Clock::now();
      family_pair.run(families[i], pair,
                      stream.uniform({static_cast<std::uint32_t>(i),
                                      static_cast<std::uint32_t>(pair), Purpose::order, 0}) < 0.5,
                      rows);
      seconds[family_of(families[i].front())] +=
          std::chrono::duration<double>(Clock::now() - begin).count();
    }
    on_pair(rows);
  }
  return seconds;
}

}  // namespace speclab::experiments
