#include "experiments/drivers/config/axes_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/device_round_checks.h"
#include "engines/interface/names.h"
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/config/sweep.h"
#include "experiments/drivers/toml/config_reader.h"
#include "sim/core/tree_growth.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"

namespace speclab::experiments {
namespace {

void check_drafters(const ConfigReader& reader, const RunConfig& config) {
  std::vector<std::string> names;
  for (const NamedDrafter& drafter : all_drafters(config)) names.push_back(drafter.name);
  for (std::size_t i = 0; i < config.axes.drafter.size(); ++i)
    if (std::ranges::find(names, config.axes.drafter[i]) == names.end())
      reader.refuse_element(
          "drafter", i,
          fmt::format("{}, or a [drafters.NAME] of this file", fmt::join(names, ", ")));
}

/// A tree that no drafter would draw is a mistake. Where some drafters draw trees the others draft
/// chains (tree_axis_note).
void check_trees(const ConfigReader& reader, const RunConfig& config) {
  const bool any_draws =
      std::ranges::any_of(all_drafters(config), [&](const NamedDrafter& drafter) {
        return follows_tree_axis(drafter) &&
               std::ranges::find(config.axes.drafter, drafter.name) != config.axes.drafter.end();
      });
  for (std::size_t i = 0; i < config.axes.tree.size(); ++i) {
    check_tree(reader, i, config.axes.tree[i]);
    if (config.axes.tree[i] != "chain" && !any_draws)
      reader.refuse_element(
          "tree", i,
          fmt::format("chain, because no drafter of axes.drafter draws trees of "
                      "this axis; those of the kind {} do",
                      engines::drafters_that<&engines::DrafterTraits::draws_trees>()));
  }
}

void check_looked_at_policies(const ConfigReader& reader, const RunConfig& config) {
  const bool keeps = experiment_kind(config.kind).takes_chains_only;
  for (std::size_t i = 0; i < config.axes.policy.size(); ++i) {
    const std::string& policy = config.axes.policy[i];
    if (policy == "auto" || policy == "constant:0" || policy.starts_with("confidence") ||
        policy.starts_with("tracking") || (policy == "heuristic" && !keeps))
      reader.refuse_element(
          "policy", i,
          fmt::format(
              "constant:N with N >= 1{}, because the kind {} measures no costs and needs drafts",
              keeps ? " or heuristic" : "", config.kind));
  }
}

void check_chains(const ConfigReader& reader, const RunConfig& config) {
  const Axes& axes = config.axes;
  for (std::size_t i = 0; i < axes.tree.size(); ++i)
    if (axes.tree[i] != "chain")
      reader.refuse_element("tree", i,
                            fmt::format("chain, because the kind {} logs chains", config.kind));
  for (std::size_t i = 0; i < axes.drafter.size(); ++i)
    for (const NamedDrafter& drafter : config.drafters)
      if (drafter.name == axes.drafter[i] && drafter.has_tree && drafter.options.tree != "chain")
        reader.refuse_element(
            "drafter", i,
            fmt::format("drafters of chains, because the kind {} logs chains", config.kind));
}

/// Both draft as the ratio test has it.
void check_looked_at(const ConfigReader& reader, const RunConfig& config) {
  check_looked_at_policies(reader, config);
  if (experiment_kind(config.kind).takes_chains_only) check_chains(reader, config);
  for (std::size_t i = 0; i < config.axes.verifier.size(); ++i)
    if (config.axes.verifier[i] != "rejection")
      reader.refuse_element(
          "verifier", i,
          fmt::format("rejection, because the kind {} drafts for the ratio test", config.kind));
  if (std::ranges::all_of(config.axes.drafter,
                          [](const std::string& drafter) { return drafter == "none"; }))
    reader.refuse("drafter", "at least one that drafts");
}

void check_policies(const ConfigReader& reader, const Axes& axes) {
  const ConstantPolicy any_auto(0);
  for (std::size_t i = 0; i < axes.policy.size(); ++i)
    check_element(reader, "policy", i, [&] { make_policy(axes.policy[i], &any_auto); });
}

/// Those of the drafters of the axis, each with its trees.
std::vector<std::pair<std::string, std::string>> drafted_trees(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> drafted;
  for (const NamedDrafter& drafter : all_drafters(config)) {
    if (!engines::is_among(drafter.name, config.axes.drafter)) continue;
    const std::vector<std::string> trees = follows_tree_axis(drafter)
                                               ? config.axes.tree
                                               : std::vector<std::string>{drafter.options.tree};
    for (const std::string& tree : trees) drafted.emplace_back(drafter.name, tree);
  }
  return drafted;
}

/// Whether the zips let a drafter with this tree meet the policy, whatever the other axes are.
bool meets(const RunConfig& config, const std::pair<std::string, std::string>& drafted,
           const std::string& policy) {
  const Sweep sweep(config);
  for (Setting setting : config.axes.plain_settings())
    for (const std::string& verifier : config.axes.verifier) {
      setting.drafter = drafted.first, setting.tree = drafted.second;
      setting.policy = policy, setting.verifier = verifier;
      if (sweep.is_zipped(sweep.point(setting))) return true;
    }
  return false;
}

bool draws_trees(const RunConfig& config) {
  return std::ranges::any_of(drafted_trees(config),
                             [](const auto& drafted) { return drafted.second != "chain"; });
}

/// Those who count the nodes of a tree do not plan its levels.
void check_adaptive_trees(const ConfigReader& reader, const RunConfig& config) {
  for (const auto& drafted : drafted_trees(config))
    for (std::size_t i = 0;
         i < config.axes.policy.size() && TreeGrowth::parse(drafted.second, 1).is_adaptive; ++i)
      if (!can_count_nodes(config.axes.policy[i]) && meets(config, drafted, config.axes.policy[i]))
        reader.refuse_element("policy", i,
                              fmt::format("heuristic and constant:N, because {} draws {}, which "
                                          "takes its number of nodes from the policy",
                                          drafted.first, drafted.second));
}

/// Confidence ends chains of real drafters, one after the other.
void check_confidence(const ConfigReader& reader, const RunConfig& config) {
  const ConstantPolicy any_auto(0);
  const std::vector<std::string>& policies = config.axes.policy;
  const auto drafted = drafted_trees(config);
  const auto draws_tree_under = [&](const std::string& policy) {
    return std::ranges::any_of(drafted, [&](const auto& one) {
      return one.second != "chain" && meets(config, one, policy);
    });
  };
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (make_policy(policies[i], &any_auto)->stop_below() <= 0.0) continue;
    const auto refuse_if = [&](bool is_wrong, const char* reason) {
      if (is_wrong)
        reader.refuse_element("policy", i,
                              fmt::format("policies without a confidence, because {}", reason));
    };
    refuse_if(draws_tree_under(policies[i]),
              "a drafter of axes.drafter draws trees, and confidence ends chains: put them into "
              "two runs, or separate them by a [[zip]]");
    refuse_if(std::ranges::any_of(config.axes.model, is_shape_model),
              "target.model names a shape model, which has no meaningful confidence");
    refuse_if(config.has_device_rounds(), "target.rounds is device");
  }
}

/// Rounds on the device take neither every drafter nor every tree.
void check_device_drafts(const ConfigReader& reader, const RunConfig& config) {
  bool follows_axis = false;
  for (const NamedDrafter& drafter : all_drafters(config))
    for (std::size_t i = 0; i < config.axes.drafter.size(); ++i) {
      if (config.axes.drafter[i] != drafter.name) continue;
      follows_axis = follows_axis || follows_tree_axis(drafter);
      check_element(reader, "drafter", i, [&] {
        engines::check_device_drafter(drafter.options);
        if (!follows_tree_axis(drafter)) engines::check_device_tree({.drafter = drafter.options});
      });
    }
  for (std::size_t i = 0; follows_axis && i < config.axes.tree.size(); ++i)
    check_element(reader, "tree", i,
                  [&] { engines::check_device_tree({.drafter = {.tree = config.axes.tree[i]}}); });
}

/// Block verification is defined for chains; the distance of a lossy rule is known for one draft a
/// place.
bool needs_chains(const std::string& verifier) {
  const engines::VerifierTraits traits = engines::verifier_traits(verifier);
  return !traits.takes_trees || !traits.keeps_law;
}

void check_verifiers(const ConfigReader& reader, const RunConfig& config) {
  const std::vector<std::string>& verifiers = config.axes.verifier;
  const bool samples = std::ranges::any_of(config.axes.temperature,
                                           [](double temperature) { return temperature > 0; });
  for (std::size_t i = 0; i < verifiers.size(); ++i) {
    if (!engines::is_among(verifiers[i], engines::kUserVerifierKinds))
      reader.refuse_element("verifier", i,
                            fmt::format("{}", fmt::join(engines::kUserVerifierKinds, ", ")));
    if (verifiers[i] == "greedy" && samples)
      reader.refuse_element("verifier", i,
                            "another one, because axes.temperature has a value above 0");
    if (needs_chains(verifiers[i]) && draws_trees(config))
      reader.refuse_element(
          "verifier", i, "verifiers that take trees, because a drafter of axes.drafter draws some");
  }
  if (verifiers.size() > 1 && std::ranges::any_of(config.axes.model, is_shape_model))
    reader.refuse_element(
        "verifier", 1,
        "one verifier, because target.model names a shape model, which replays its verdicts");
}

/// How deep a grown tree is depends on the text; that of a shape model means nothing.
void check_replayed_trees(const ConfigReader& reader, const RunConfig& config) {
  if (std::ranges::none_of(config.axes.model, is_shape_model)) return;
  for (const auto& [drafter, tree] : drafted_trees(config))
    if (TreeGrowth::parse(tree, 1).is_grown())
      reader.refuse("drafter",
                    fmt::format("{} with a fixed shape instead of {}, because target.model names a "
                                "shape model, which replays drafts of a fixed depth",
                                drafter, tree));
}

}  // namespace

void check_axes(const RunTables& tables, RunConfig& config) {
  const ConfigReader reader = tables.reader("axes");
  const bool looks =
      tables.are_right({"experiment.kind"}) && experiment_kind(config.kind).looks_at_drafts();
  if (looks && !reader.has("policy")) config.axes.policy = {"constant:4"};
  const bool are_drafters_right = tables.are_right({"axes.drafter", "drafters"});
  if (tables.are_right({"axes.policy"})) check_policies(reader, config.axes);
  if (are_drafters_right) check_drafters(reader, config);
  if (!are_drafters_right || !tables.are_right({"axes.drafter", "axes.tree"})) return;
  check_trees(reader, config);
  if (tables.are_right({"target.rounds"}) && config.has_device_rounds())
    check_device_drafts(reader, config);
  if (looks && tables.are_right({"axes"})) check_looked_at(reader, config);
  if (tables.are_right({"axes", "zip"})) check_adaptive_trees(reader, config);
  if (tables.are_right({"axes", "zip", "target"})) check_confidence(reader, config);
  if (tables.are_right({"axes", "target.model"})) check_verifiers(reader, config);
  if (tables.are_right({"axes.tree", "target.model"})) check_replayed_trees(reader, config);
}

}  // namespace speclab::experiments
