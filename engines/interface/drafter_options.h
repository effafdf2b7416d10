#pragma once
// What a drafter is made from.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/names.h"

namespace speclab::engines {

/// One drafter: its kind and the settings that kind knows.
struct DrafterOptions {
  std::string kind = "none";   ///< "plain" (no speculative loop at all), or one of kDrafterKinds
  std::string model{};         ///< path or catalogue name, for kinds that load one
  std::string tree = "chain";  ///< shape of a token tree, as TreeGrowth::parse reads it
  std::optional<std::int32_t>
      max_ngram{};  ///< longest suffix to look up, in tokens; longest_ngram() if not given
  std::optional<std::int32_t>
      min_ngram{};  ///< shortest suffix to look up; least_ngram() if not given
  std::optional<double>
      lookup_weight{};  ///< probability of the copied token in a mixture with prompt lookup, (0,
                        ///< 1]; the expectation of CopyRecord if not given
  std::vector<DrafterOptions>
      parts{};  ///< parts of a "mixture"; a part has no tree and is no mixture
  std::string bridge =
      "auto";           ///< to a target with another tokenizer: "auto", or one of kBridgeNames
  double weight = 1.0;  ///< weight as a part of a mixture (see is_part_weight), relative to the
                        ///< other parts that have a prediction

  /// Those of its kind; `plain` has none.
  DrafterTraits traits() const { return drafter_traits(kind); }
  /// Prompt lookup alone takes Hugging Face's 3. In a mixture, longer suffixes show how far a copy
  /// can be trusted. A suffix of one token is too weak beside a layer that reads hidden states.
  std::int32_t longest_ngram() const {
    return max_ngram.value_or(traits().mixes_copies() ? 10 : 3);
  }
  std::int32_t least_ngram() const {
    return min_ngram.value_or(std::min(reads_hidden_states(traits().law) ? 2 : 1, longest_ngram()));
  }
  /// True if it, or a part of it, runs layers of a network.
  bool reads_layers() const {
    return traits().reads_layers() || std::ranges::any_of(parts, &DrafterOptions::reads_layers);
  }
  /// True if its drafts copy from earlier text. Its acceptance then differs from one text to
  /// another.
  bool looks_up() const {
    return traits().looks_up || std::ranges::any_of(parts, &DrafterOptions::looks_up);
  }
};

}  // namespace speclab::engines
