#pragma once
// Settings that rounds on the device do not take, found before a model is loaded.

#include <fmt/format.h>

#include <string>

#include "engines/interface/round_decoder.h"
#include "engines/interface/sampling_rows.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::engines {

inline constexpr int kMostDeviceNodes = 63;  ///< of a draft: with its root, a pass's rows

[[noreturn]] inline void refuse_device_rounds(const std::string& found,
                                              const std::string& allowed) {
  throw ConfigError(fmt::format(
      "rounds on the device: {}; allowed there: {}; or give --rounds host", found, allowed));
}

/// Drafts of a shape that is fixed beforehand, which a graph can be captured for.
inline void check_device_tree(const DecoderOptions& options) {
  const TreeGrowth growth = TreeGrowth::parse(options.drafter.tree, 0);
  const std::string found = "tree = \"" + escaped(options.drafter.tree) + "\"";
  if (growth.is_grown())
    refuse_device_rounds(found, "chain, and shapes fixed beforehand as 3x2x1 or parents:0,0,1");
  if (growth.max_nodes() > kMostDeviceNodes)
    refuse_device_rounds(fmt::format("{} of {} nodes", found, growth.max_nodes()),
                         fmt::format("up to {} nodes", kMostDeviceNodes));
  if (!verifier_traits(options.verifier).takes_trees && options.drafter.tree != "chain")
    refuse_device_rounds("verifier = \"block\" with " + found, "block with chains alone");
}

/// True if its drafts are made on the device. Those of drafters that read no layers are made on the
/// host.
inline bool drafts_on_device(const DrafterOptions& drafter) {
  return drafter.traits().reads_transformer();
}

inline void check_device_drafter(const DrafterOptions& drafter) {
  if (!drafter.reads_layers() || drafts_on_device(drafter)) return;
  refuse_device_rounds("drafter = \"" + escaped(drafter.kind) + "\"",
                       fmt::format("plain, {}, and mixtures of parts that read no layers: {}",
                                   drafters_that<[](const DrafterTraits& traits) {
                                     return !traits.is_mixture() && !traits.reads_stages();
                                   }>(),
                                   drafters_that<[](const DrafterTraits& traits) {
                                     return traits.can_be_part() && !traits.reads_layers();
                                   }>()));
}

inline void check_device_sampling(const DecoderOptions& options) {
  const bool is_drawn = options.sampling.temperature > 0 && options.drafter.traits().drafts();
  if (is_drawn && options.verifier != "rejection" && options.verifier != "replay")
    refuse_device_rounds("verifier = \"" + escaped(options.verifier) + "\"", "rejection, replay");
  bool is_plain = true;
  visit_sampling_that_is_on(options.sampling, [&](const char*, const auto&) { is_plain = false; });
  if (!is_plain || options.sampling.rules.any())
    refuse_device_rounds("a setting that changes the law", "temperature alone");
}

/// @throws ConfigError naming the setting that rounds on the device do not take, and what is
/// allowed
inline void check_device_rounds(const DecoderOptions& options) {
  check_device_drafter(options.drafter);
  check_device_tree(options);
  check_device_sampling(options);
  if (options.chance || options.on_draft)
    refuse_device_rounds("an observed or scripted decoder", "neither");
  if (options.log_probabilities)
    refuse_device_rounds("log-probabilities of tokens", "none of them");
}

}  // namespace speclab::engines
