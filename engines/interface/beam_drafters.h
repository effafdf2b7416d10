#pragma once
// Drafters that beam search takes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engines/interface/names.h"
#include "engines/interface/round_decoder.h"
#include "sim/core/errors.h"

namespace speclab::engines {

/// Drafters that take any text, whichever beam it was before.
inline constexpr std::array<const char*, 6> kBeamDrafterKinds{
    "unigram", "bigram", "ngram", "prompt_lookup", "lookup_ngram", "small_transformer"};

/// False if the drafter reads states of one text.
inline bool follows_beams(const DrafterOptions& drafter) {
  if (drafter.kind == "mixture") return std::ranges::all_of(drafter.parts, follows_beams);
  return is_among(drafter.kind, kBeamDrafterKinds);
}

/// @throws ConfigError for a drafter that reads states of one text, and for one that crosses to
/// another tokenizer
inline void check_beam_drafter(const DrafterOptions& drafter) {
  if (!follows_beams(drafter))
    throw ConfigError(fmt::format(
        "drafter '{}' with beams, which reads states of one text; allowed: none, {}, or a mixture "
        "of these",
        escaped(drafter.kind), fmt::join(kBeamDrafterKinds, ", ")));
  if (drafter.bridge != "auto")
    throw ConfigError(
        fmt::format("bridge '{}' with beams; allowed: none, and a drafter with the target's "
                    "tokenizer",
                    escaped(drafter.bridge)));
}

}  // namespace speclab::engines
