#include "experiments/drivers/config/named_drafters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/run_schema.h"
#include "sim/core/errors.h"
#include "sim/core/tree_growth.h"

namespace speclab::experiments {
namespace {

const std::vector<std::string> kDrafterKinds(engines::kDrafterKinds.begin(), engines::kDrafterKinds.end());

bool loads_model(const engines::DrafterOptions& options) { return engines::is_among(options.kind, engines::kModelDrafterKinds); }

void check_tree_key(const ConfigReader& reader, const NamedDrafter& drafter) {
  if (!engines::is_among(drafter.options.kind, engines::kTreeDrafterKinds)) reader.refuse("tree", fmt::format("a tree for a kind that draws trees: {}", fmt::join(engines::kTreeDrafterKinds, ", ")));
  else check_tree(reader, 0, drafter.options.tree);
}

void check_lookups(const ConfigReader& reader, const engines::DrafterOptions& options) {
  for (const char* key : {"max_ngram", "min_ngram"})
    if (reader.has(key) && !engines::is_among(options.kind, engines::kLookupDrafterKinds)) reader.refuse(key, fmt::format("for the kinds {} only", fmt::join(engines::kLookupDrafterKinds, ", ")));
  if (options.least_ngram() > options.max_ngram) reader.refuse("min_ngram", "at most max_ngram");
  if (reader.has("lookup_weight") && !engines::is_among(options.kind, engines::kMixedDrafterKinds)) reader.refuse("lookup_weight", fmt::format("for the kinds {} only", fmt::join(engines::kMixedDrafterKinds, ", ")));
}

/// What is wrong with a key that has a good value of its own; nothing is said where the kind is none.
void check_drafter(const ConfigReader& reader, const NamedDrafter& drafter) {
  if (drafter.options.kind.empty()) return;
  if (reader.has("model") && !loads_model(drafter.options)) reader.refuse("model", "no model for prompt_lookup");
  if (drafter.has_tree) check_tree_key(reader, drafter);
  check_lookups(reader, drafter.options);
}

NamedDrafter read_drafter(const ConfigNode& table, const std::string& name, Findings& findings) {
  ConfigReader reader(table, "drafters." + name, &findings);
  NamedDrafter drafter{.name = name, .options = {.kind = ""}};
  read_keys(reader, drafter_keys(), "drafters.NAME", drafter);
  reader.finish();
  drafter.has_tree = reader.has("tree");
  check_drafter(reader, drafter);
  if (engines::is_among(drafter.options.kind, engines::kLookupDrafterKinds)) drafter.options.min_ngram = drafter.options.least_ngram();
  return drafter;
}

void check_drafter_name(const ConfigEntry& entry, Findings& findings) {
  const std::string key = "drafters." + entry.key;
  if (!is_name(entry.key)) return findings.add(entry.where, key, fmt::format("drafters.{}; allowed names: {}", escaped(entry.key), kNameRule));
  if (std::ranges::find(kDrafterKinds, entry.key) != kDrafterKinds.end() || entry.key == "plain")
    findings.add(entry.where, key, fmt::format("drafters.{}; allowed: a name that is no kind of drafter", entry.key));
}

}  // namespace

void check_tree(const ConfigReader& reader, std::size_t index, const std::string& tree) {
  check_element(reader, "tree", index, [&] { TreeGrowth::parse(tree, 1); });
}

void read_drafters(const ConfigNode& table, RunConfig& config, Findings& findings) {
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table.value)) {
    check_drafter_name(entry, findings);
    config.drafters.push_back(read_drafter(entry.node, entry.key, findings));
  }
}

std::vector<NamedDrafter> all_drafters(const RunConfig& config) {
  std::vector<NamedDrafter> drafters;
  for (const std::string& kind : kDrafterKinds) drafters.push_back({.name = kind, .options = {.kind = kind}});
  drafters.insert(drafters.end(), config.drafters.begin(), config.drafters.end());
  return drafters;
}

bool follows_tree_axis(const NamedDrafter& drafter) { return engines::is_among(drafter.options.kind, engines::kTreeDrafterKinds) && !drafter.has_tree; }

}  // namespace speclab::experiments
