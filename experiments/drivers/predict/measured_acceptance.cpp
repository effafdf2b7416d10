#include "experiments/drivers/predict/measured_acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/stats/drafter_acceptance.h"
#include "analysis/tables/file_digests.h"
#include "analysis/tables/manifest.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/monte_carlo/acceptance_estimates.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// What the chains of a trace add up to, by prompt, and what is pooled that a reader may want
/// apart.
class ChainCounts {
 public:
  void add(const analysis::TracedRound& traced) {
    has_axes_ = traced.axes != nullptr;
    if (has_axes_ && !traced.axes->is_plain()) add_axes(*traced.axes);
    if (traced.round.drafted == 0) {
      idle_rounds_ += !has_axes_ || !traced.axes->is_plain();
      return;
    }
    const bool is_chain = traced.round.drafted == traced.round.depth;
    ++(is_chain ? chain_rounds_ : tree_rounds_);
    if (is_chain)
      by_cluster_[traced.cluster].add(static_cast<int>(traced.round.depth),
                                      static_cast<int>(traced.round.accepted));
  }

  std::vector<sim::AcceptanceCounts> clusters() const {
    std::vector<sim::AcceptanceCounts> clusters;
    for (const auto& [cluster, counts] : by_cluster_) clusters.push_back(counts);
    return clusters;
  }
  std::optional<std::string> pooling_note() const {
    if (drafters_.size() < 2 && verifiers_.size() < 2 && temperatures_.size() < 2)
      return std::nullopt;
    return fmt::format(
        "the trace pools drafters {}, verifiers {} and temperatures {}; --drafter, --verifier and "
        "--temperature choose",
        fmt::join(drafters_, ", "), fmt::join(verifiers_, ", "), fmt::join(temperatures_, ", "));
  }
  std::int64_t chain_rounds() const { return chain_rounds_; }  ///< that draft
  std::int64_t tree_rounds() const { return tree_rounds_; }
  std::int64_t idle_rounds() const { return idle_rounds_; }  ///< of drafters that proposed nothing
  bool has_axes() const { return has_axes_; }

 private:
  void add_axes(const Setting& axes) {
    drafters_.insert(axes.drafter);
    verifiers_.insert(axes.verifier);
    temperatures_.insert(axes.temperature);
  }

  std::map<std::string, sim::AcceptanceCounts> by_cluster_;
  std::set<std::string> drafters_, verifiers_;
  std::set<double> temperatures_;
  std::int64_t chain_rounds_ = 0, tree_rounds_ = 0, idle_rounds_ = 0;
  bool has_axes_ = false;
};

/// By the acceptance of each level, for the lengths that the rounds can answer for; nothing where
/// that is none.
std::vector<analysis::Estimate> tokens_by_position(
    const std::vector<sim::AcceptanceCounts>& clusters) {
  std::vector<analysis::Estimate> tokens;
  const int longest = sim::longest_supported_length(clusters);
  for (int length = 0; longest > 0 && length <= longest; ++length) {
    const sim::Estimate estimate = sim::tokens_per_round_estimate(clusters, length).value();
    tokens.push_back({.value = estimate.value, .interval = estimate.interval});
  }
  return tokens;
}

/// Where one acceptance rate expects other tokens than the trace's positions show, at the first
/// such length.
std::optional<std::string> contradiction_note(double rate,
                                              const std::vector<analysis::Estimate>& by_position) {
  for (std::size_t length = 1; length < by_position.size(); ++length) {
    const analysis::Estimate& seen = by_position[length];
    const double expected = sim::tokens_per_round(rate, static_cast<int>(length));
    if (seen.interval && (expected < seen.low() || expected > seen.high()))
      return fmt::format(
          "one rate does not describe this trace: at length {} it expects {:.4f} tokens a round, "
          "the positions show {:.4f} [{:.4f}, {:.4f}]; "
          "rather take the answers by position",
          length, expected, seen.value, seen.low(), seen.high());
  }
  return std::nullopt;
}

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

AcceptanceInput trace_acceptance(const std::string& path, const SettingFilter& filter) {
  ChainCounts counts;
  const std::int64_t forced = analysis::read_trace(
      path, filter, [&counts](const analysis::TracedRound& round) { counts.add(round); });
  if (counts.chain_rounds() == 0)
    throw DataError(fmt::format(
        "{}: no round that drafts a chain ({} draft trees); acceptance of a chain needs one", path,
        counts.tree_rounds()));
  const std::vector<sim::AcceptanceCounts> clusters = counts.clusters();
  const sim::Estimate rate = sim::acceptance_rate_estimate(clusters);
  AcceptanceInput input{.rate = {.value = rate.value, .interval = rate.interval},
                        .tokens_by_position = tokens_by_position(clusters),
                        .source = fmt::format("{}: {} rounds that draft, {} {}", escaped(path, 200),
                                              counts.chain_rounds(), clusters.size(),
                                              counts.has_axes() ? "prompts" : "generations")};
  if (forced > 0)
    input.notes.push_back(fmt::format(
        "{} rounds with forced verdicts are left out; --verifier replay takes them", forced));
  if (counts.tree_rounds() > 0)
    input.notes.push_back(
        fmt::format("{} rounds draft trees and are left out", counts.tree_rounds()));
  if (counts.idle_rounds() > 0)
    input.notes.push_back(
        fmt::format("{} further rounds draft nothing and are left out: tokens and speed-ups are "
                    "those of rounds that draft",
                    counts.idle_rounds()));
  if (const auto note = contradiction_note(rate.value, input.tokens_by_position))
    input.notes.push_back(*note);
  if (const auto note = counts.pooling_note()) input.notes.push_back(*note);
  if (!counts.has_axes())
    input.notes.push_back(
        "no rows.csv beside the trace: generations are taken as independent, where prompts would "
        "be");
  return input;
}

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
