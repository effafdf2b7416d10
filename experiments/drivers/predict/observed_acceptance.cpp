#include "experiments/drivers/predict/observed_acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/stats/drafter_acceptance.h"
#include "analysis/tables/file_digests.h"
#include "analysis/tables/manifest.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::uint64_t kObservedSeed =
    1;  ///< of the bootstrap, so that equal files give equal intervals

std::string name_of(const Setting& axes) {
  return fmt::format("{} at temperature {} ({})", axes.drafter, axes.temperature, axes.tree);
}

/// @throws ConfigError if the run is of a kind that observes no drafter
void expect_observed(const std::string& folder) {
  const std::string kind = analysis::read_manifest(folder + "/manifest.toml").kind;
  if (kind != "drafter_acceptance")
    throw ConfigError(
        fmt::format("--observed: {} is a run of the kind {}; allowed: drafter_acceptance; --trace "
                    "takes the rounds of a run of the kind decoding",
                    escaped(folder), escaped(kind)));
}

/// @throws ConfigError naming what there is
analysis::DrafterAcceptance the_one(const std::string& folder,
                                    std::vector<analysis::DrafterAcceptance> drafters,
                                    const SettingFilter& filter) {
  std::vector<std::string> names;
  for (const auto& drafter : drafters) names.push_back(name_of(drafter.axes));
  std::erase_if(drafters, [&](const analysis::DrafterAcceptance& drafter) {
    return !filter.keeps(drafter.axes);
  });
  if (drafters.size() != 1)
    throw ConfigError(fmt::format(
        "--observed: {} of {}; allowed: one, chosen by --drafter, --temperature, --model: {}",
        drafters.size(), escaped(folder), fmt::join(names, ", ")));
  if (drafters.front().depths.empty())
    throw ConfigError(fmt::format("--observed: {} drafted nothing; choose another drafter",
                                  name_of(drafters.front().axes)));
  return drafters.front();
}

/// What each rank adds to the target's mass on those before it.
std::vector<double> rank_acceptance(const analysis::DepthAcceptance& depth) {
  std::vector<double> ranks;
  double before = 0.0;
  for (const analysis::Estimate& in_top : depth.in_top) {
    ranks.push_back(std::max(0.0, in_top.value - before));
    before = std::max(before, in_top.value);
  }
  return ranks;
}

/// What the drafter's trees showed; nothing where the run kept none.
std::optional<sim::SiblingAcceptance> siblings_of(const std::vector<analysis::SiblingRow>& rows,
                                                  const Setting& axes) {
  sim::SiblingAcceptance siblings;
  for (const analysis::SiblingRow& row : rows)
    if (row.axes == axes)
      siblings.add(row.place, row.sums.reached, std::min(row.sums.accepted, row.sums.reached));
  return siblings.most_ranks() > 0 ? std::optional(std::move(siblings)) : std::nullopt;
}

void take_siblings(const sim::SiblingAcceptance& siblings, AcceptanceInput& input) {
  input.rank_acceptance = siblings.of_ranks();
  input.siblings = siblings;
}

}  // namespace

AcceptanceInput observed_acceptance(const std::string& folder, const SettingFilter& filter) {
  analysis::check_unchanged(folder);
  expect_observed(folder);
  const analysis::AcceptanceRun run = analysis::read_acceptance_run(folder);
  analysis::Bootstrap bootstrap(kObservedSeed);
  const analysis::DrafterAcceptance drafter =
      the_one(folder, analysis::drafter_acceptance(run.rows, true, bootstrap), filter);
  const analysis::Estimate rate = within(*drafter.acceptance_rate, 0.0, 1.0);
  AcceptanceInput input{
      .rate = {.value = rate.value, .interval = rate.interval},
      .rank_acceptance = rank_acceptance(drafter.depths.front()),
      .source = fmt::format("{} over {} places of {} prompts", name_of(drafter.axes),
                            drafter.positions, drafter.prompts)};
  input.notes.push_back("the rate is that of all depths, where a draft is made");
  if (!run.is_of_rounds())
    input.notes.push_back(
        "observed at every place of the text; rounds begin at harder ones than these "
        "(experiment.places = \"rounds\")");
  if (const auto siblings = siblings_of(run.siblings, drafter.axes))
    take_siblings(*siblings, input);
  else
    input.notes.push_back(
        "of the tree's children nothing is known but the drafter's ranking: they are its likeliest "
        "tokens, chosen and not drawn");
  if (const std::string missing = run.missing(); !missing.empty())
    input.notes.push_back("the run is not finished: " + missing);
  return input;
}

}  // namespace speclab::experiments
