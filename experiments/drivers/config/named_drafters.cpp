#include "experiments/drivers/config/named_drafters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "engines/interface/names.h"
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/run_schema.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using engines::DrafterTraits;

void check_tree_key(const ConfigReader& reader, const NamedDrafter& drafter) {
  if (!drafter.options.traits().draws_trees())
    reader.refuse("tree", fmt::format("a tree for a kind that draws trees: {}",
                                      engines::drafters_that<&DrafterTraits::draws_trees>()));
  else
    check_tree(reader, 0, drafter.options.tree);
}

void check_lookups(const ConfigReader& reader, const engines::DrafterOptions& options) {
  for (const char* key : {"max_ngram", "min_ngram"})
    if (reader.has(key) && !options.traits().looks_up)
      reader.refuse(key, fmt::format("for the kinds {} only",
                                     engines::drafters_that<&DrafterTraits::looks_up>()));
  if (options.least_ngram() > options.longest_ngram())
    reader.refuse("min_ngram", "at most max_ngram");
  if (reader.has("lookup_weight") && !options.traits().mixes_copies())
    reader.refuse("lookup_weight",
                  fmt::format("for the kinds {} only",
                              engines::drafters_that<&DrafterTraits::mixes_copies>()));
}

void check_parts_key(const ConfigReader& reader, const NamedDrafter& drafter) {
  const bool is_mixture = drafter.options.traits().is_mixture();
  if (reader.has("parts") && !is_mixture) reader.refuse("parts", "for the kind mixture only");
  if (is_mixture && (drafter.parts.size() < 2 || drafter.parts.size() > engines::kMostParts))
    reader.refuse("parts",
                  fmt::format("at least two drafters to mix, at most {}", engines::kMostParts));
}

/// What is wrong with a key that has a good value of its own; nothing is said where the kind is
/// none.
void check_drafter(const ConfigReader& reader, const NamedDrafter& drafter) {
  if (drafter.options.kind.empty()) return;
  if (reader.has("model") && !drafter.options.traits().reads_model())
    reader.refuse("model", fmt::format("no model for {}", drafter.options.kind));
  if (reader.has("bridge") && !drafter.options.traits().reads_language_model())
    reader.refuse("bridge",
                  fmt::format("for the kinds {} only",
                              engines::drafters_that<&DrafterTraits::reads_language_model>()));
  if (drafter.has_tree) check_tree_key(reader, drafter);
  check_lookups(reader, drafter.options);
  check_parts_key(reader, drafter);
}

/// What its kind has where the keys are absent.
void fill_lookups(engines::DrafterOptions& options) {
  options.min_ngram = options.least_ngram();
  options.max_ngram = options.longest_ngram();
}

NamedDrafter read_drafter(const ConfigNode& table, const std::string& name, Findings& findings) {
  ConfigReader reader(table, "drafters." + name, &findings);
  NamedDrafter drafter{.name = name, .options = {.kind = ""}};
  read_keys(reader, drafter_keys(), "drafters.NAME", drafter);
  reader.finish();
  drafter.has_tree = reader.has("tree");
  check_drafter(reader, drafter);
  if (drafter.options.traits().looks_up) fill_lookups(drafter.options);
  return drafter;
}

void check_drafter_name(const ConfigEntry& entry, Findings& findings) {
  const std::string key = "drafters." + entry.key;
  if (!is_name(entry.key))
    return findings.add(
        entry.where, key,
        fmt::format("drafters.{}; allowed names: {}", escaped(entry.key), kNameRule));
  if (engines::is_among(entry.key, engines::kDrafterKinds) || entry.key == "plain")
    findings.add(entry.where, key,
                 fmt::format("drafters.{}; allowed: a name that is no kind of drafter", entry.key));
}

/// What a part may name: a kind, or a drafter of the file whose tree is the mixture's.
std::vector<NamedDrafter> possible_parts(const RunConfig& config) {
  std::vector<NamedDrafter> drafters = all_drafters(config);
  std::erase_if(drafters, [](const NamedDrafter& drafter) {
    return !drafter.options.traits().can_be_part() || drafter.has_tree;
  });
  return drafters;
}

void resolve_parts(const ConfigReader& reader, const std::vector<NamedDrafter>& possible,
                   NamedDrafter& mixture) {
  for (std::size_t i = 0; i < mixture.parts.size(); ++i)
    check_element(reader, "parts", i, [&] {
      const PartName part = parse_part(mixture.parts[i]);
      const auto found = std::ranges::find(possible, part.drafter, &NamedDrafter::name);
      if (found == possible.end())
        throw ConfigError(fmt::format(
            "part '{}'; allowed: {}, which have no tree of their own", escaped(part.drafter),
            fmt::join(possible | std::views::transform(&NamedDrafter::name), ", ")));
      mixture.options.parts.push_back(found->options);
      mixture.options.parts.back().weight = part.weight;
    });
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
  const std::vector<NamedDrafter> possible = possible_parts(config);
  for (const ConfigEntry& entry : std::get<ConfigNode::TableEntries>(table.value)) {
    NamedDrafter& drafter = *std::ranges::find(config.drafters, entry.key, &NamedDrafter::name);
    if (drafter.options.traits().is_mixture())
      resolve_parts(ConfigReader(entry.node, "drafters." + entry.key, &findings), possible,
                    drafter);
  }
}

PartName parse_part(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text};
  PartName part{text.substr(0, colon)};
  const auto [end, error] =
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), part.weight);
  if (error != std::errc() || end != text.data() + text.size() ||
      !engines::is_part_weight(part.weight))
    throw ConfigError(fmt::format(
        "part '{}'; allowed: NAME, or NAME:WEIGHT with a weight from 1e-6 to 1e6", escaped(text)));
  return part;
}

std::vector<NamedDrafter> drafters_needed(const RunConfig& config, std::vector<std::string> names) {
  for (const NamedDrafter& drafter : config.drafters)
    if (std::ranges::find(names, drafter.name) != names.end())
      for (const std::string& part : drafter.parts) names.push_back(parse_part(part).drafter);
  std::vector<NamedDrafter> needed = config.drafters;
  std::erase_if(needed, [&](const NamedDrafter& drafter) {
    return std::ranges::find(names, drafter.name) == names.end();
  });
  return needed;
}

/// A mixture is nothing without its parts.
std::vector<NamedDrafter> all_drafters(const RunConfig& config) {
  std::vector<NamedDrafter> drafters;
  for (const char* kind : engines::kDrafterKinds)
    if (!engines::drafter_traits(kind).is_mixture())
      drafters.push_back({.name = kind, .options = {.kind = kind}});
  drafters.insert(drafters.end(), config.drafters.begin(), config.drafters.end());
  return drafters;
}

bool follows_tree_axis(const NamedDrafter& drafter) {
  return drafter.options.traits().draws_trees() && !drafter.has_tree;
}

}  // namespace speclab::experiments
