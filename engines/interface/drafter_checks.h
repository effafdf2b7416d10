#pragma once
// Options of drafters that contradict each other, found before any model is loaded.

#include <algorithm>

#include "engines/interface/names.h"
#include "engines/interface/round_decoder.h"
#include "sim/system/errors.h"

namespace speclab::engines {

/// @throws ConfigError if a known kind, or "plain", is given a tree, a model or parts that it would
/// not use, or a mixture parts that cannot be mixed
inline void check_drafter_options(const DrafterOptions& drafter);

inline void check_part(const DrafterOptions& part) {
  if (!part.traits().can_be_part())
    throw ConfigError(fmt::format(
        "a mixture with the part '{}'; allowed: drafters that draft and are no mixtures: {}",
        escaped(part.kind), drafters_that<&DrafterTraits::can_be_part>()));
  check_drafter_options(part);
  if (part.tree != "chain")
    throw ConfigError(fmt::format(
        "a mixture with a part of tree '{}'; allowed: no tree, because the mixture has one",
        escaped(part.tree)));
  if (part.bridge != "auto")
    throw ConfigError(fmt::format(
        "a mixture with a part of bridge '{}'; allowed: no bridge, because parts share the "
        "target's tokens",
        escaped(part.bridge)));
  if (!is_part_weight(part.weight))
    throw ConfigError(fmt::format("a mixture with the weight {}; allowed: numbers from 1e-6 to 1e6",
                                  part.weight));
}

inline void check_bridge(const DrafterOptions& drafter) {
  if (drafter.bridge == "auto") return;
  if (!is_among(drafter.bridge, kBridgeNames))
    throw ConfigError(fmt::format("bridge '{}'; allowed: auto, {}", escaped(drafter.bridge),
                                  fmt::join(kBridgeNames, ", ")));
  if (!drafter.traits().reads_language_model())
    throw ConfigError(fmt::format(
        "bridge '{}' with drafter '{}'; allowed: a drafter whose model "
        "may have another tokenizer: {}",
        drafter.bridge, drafter.kind, drafters_that<&DrafterTraits::reads_language_model>()));
}

inline void check_parts(const DrafterOptions& drafter) {
  const bool is_mixture = drafter.traits().is_mixture();
  if (!is_mixture && !drafter.parts.empty())
    throw ConfigError(
        fmt::format("drafter '{}' with parts; allowed: parts of a mixture", drafter.kind));
  if (!is_mixture) return;
  if (drafter.parts.size() < 2 || drafter.parts.size() > kMostParts)
    throw ConfigError(
        fmt::format("drafter '{}' with {} parts; allowed: 2 to {}; name them in "
                    "--drafter-parts, or in the parts of a [drafters.NAME]",
                    drafter.kind, drafter.parts.size(), kMostParts));
  for (const DrafterOptions& part : drafter.parts) check_part(part);
}

inline void check_drafter_options(const DrafterOptions& drafter) {
  if (drafter.kind != "plain" && !is_among(drafter.kind, kDrafterKinds))
    throw ConfigError(fmt::format(
        "drafter '{}'; allowed: {}; a language model drafts as small_transformer, with its name or "
        "path as the drafter's model",
        escaped(drafter.kind), fmt::join(kDrafterKinds, ", ")));
  if (drafter.tree != "chain" && !drafter.traits().draws_trees())
    throw ConfigError(fmt::format(
        "tree '{}' with drafter '{}', which drafts chains; allowed: chain, or a "
        "drafter that draws trees: {}",
        escaped(drafter.tree), drafter.kind, drafters_that<&DrafterTraits::draws_trees>()));
  if (!drafter.model.empty() && !drafter.traits().reads_model())
    throw ConfigError(fmt::format(
        "drafter model '{}' with drafter '{}', which reads no model; allowed: no "
        "model, or a drafter that reads one: {}",
        escaped(drafter.model), drafter.kind, drafters_that<&DrafterTraits::reads_model>()));
  check_bridge(drafter);
  check_parts(drafter);
}

/// False if the drafter reads states of one text.
inline bool follows_beams(const DrafterOptions& drafter) {
  if (drafter.traits().is_mixture()) return std::ranges::all_of(drafter.parts, follows_beams);
  return drafter.traits().follows_beams();
}

/// @throws ConfigError for a drafter that reads states of one text, and for one that crosses to
/// another tokenizer
inline void check_beam_drafter(const DrafterOptions& drafter) {
  if (!follows_beams(drafter))
    throw ConfigError(fmt::format(
        "drafter '{}' with beams, which reads states of one text; allowed: none, {}, or a mixture "
        "of these",
        escaped(drafter.kind), drafters_that<&DrafterTraits::follows_beams>()));
  if (drafter.bridge != "auto")
    throw ConfigError(
        fmt::format("bridge '{}' with beams; allowed: none, and a drafter with the target's "
                    "tokenizer",
                    escaped(drafter.bridge)));
}

}  // namespace speclab::engines
