#include "experiments/drivers/config/named_drafters.h"

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/config/config_checks.h"
#include "sim/core/tree_growth.h"

namespace speclab::experiments {
namespace {

const std::vector<std::string> kDrafterKinds(engines::kDrafterKinds.begin(), engines::kDrafterKinds.end());

bool loads_model(const engines::DrafterOptions& options) { return engines::is_among(options.kind, engines::kModelDrafterKinds); }

void read_tree(ConfigReader& reader, NamedDrafter& drafter) {
  drafter.has_tree = reader.has("tree");
  reader.read("tree", drafter.options.tree);
  if (!drafter.has_tree) return;
  if (!engines::is_among(drafter.options.kind, engines::kTreeDrafterKinds)) reader.refuse("tree", fmt::format("a tree for a kind that draws trees: {}", fmt::join(engines::kTreeDrafterKinds, ", ")));
  check_tree(reader, 0, drafter.options.tree);
}

void read_ngrams(ConfigReader& reader, engines::DrafterOptions& options) {
  reader.read("max_ngram", options.max_ngram, {.low = 1, .high = 64});
  std::int32_t min_ngram = 1;
  reader.read("min_ngram", min_ngram, {.low = 1, .high = 64});
  if (reader.has("min_ngram")) options.min_ngram = min_ngram;
  for (const char* key : {"max_ngram", "min_ngram"})
    if (reader.has(key) && !engines::is_among(options.kind, engines::kLookupDrafterKinds)) reader.refuse(key, "for the kinds prompt_lookup and lookup_ngram only");
  if (options.least_ngram() > options.max_ngram) reader.refuse("min_ngram", "at most max_ngram");
  reader.read("lookup_weight", options.lookup_weight, {.low = 0, .high = 1});
  if (reader.has("lookup_weight") && options.kind != "lookup_ngram") reader.refuse("lookup_weight", "for the kind lookup_ngram only");
  if (options.lookup_weight == 0) reader.refuse("lookup_weight", "numbers above 0");
}

NamedDrafter read_drafter(const ConfigNode& table, const std::string& name) {
  ConfigReader reader(table, "drafters." + name);
  NamedDrafter drafter{.name = name, .options = {.kind = ""}};
  reader.read("kind", drafter.options.kind, {kDrafterKinds.begin() + 1, kDrafterKinds.end()});
  reader.read("model", drafter.options.model);
  if (reader.has("model") && !loads_model(drafter.options)) reader.refuse("model", "no model for prompt_lookup");
  read_tree(reader, drafter);
  read_ngrams(reader, drafter.options);
  reader.finish();
  return drafter;
}

void check_drafter_name(const ConfigEntry& entry) {
  if (!is_name(entry.key)) throw ConfigError(fmt::format("{}: drafters.{}; allowed names: {}", entry.where, escaped(entry.key), kNameRule));
  if (std::ranges::find(kDrafterKinds, entry.key) != kDrafterKinds.end() || entry.key == "plain")
    throw ConfigError(fmt::format("{}: drafters.{}; allowed: a name that is no kind of drafter", entry.where, entry.key));
}

}  // namespace

void check_tree(const ConfigReader& reader, std::size_t index, const std::string& tree) {
  check_element(reader, "tree", index, [&] { TreeGrowth::parse(tree, 1); });
}

void read_drafters(const ConfigNode& table, RunConfig& config) {
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table.value)) {
    check_drafter_name(entry);
    config.drafters.push_back(read_drafter(entry.node, entry.key));
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
