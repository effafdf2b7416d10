#pragma once
#include <optional>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// The joint law of what the decoder writes after a prompt, every random decision forked, against
/// the target's.
struct ExactLaw {
  std::int64_t outputs = 0;    ///< sequences of tokens compared
  std::int64_t paths = 0;      ///< of decisions
  std::int32_t tokens = 0;     ///< of an output
  double largest_error = 0.0;  ///< of a probability
};

constexpr double kExactTolerance = 1e-5;  ///< of laws in float over three tokens

/// @param request  a prompt, at least one token
/// @param speculation_length  tokens drafted a round
/// @return nothing where the vocabulary or the drafts are too large to enumerate: above 8 tokens or
/// a million paths
std::optional<ExactLaw> enumerate_law(engines::Engines& engines, engines::LanguageModel& target,
                                      const engines::DecoderOptions& options,
                                      const engines::Request& request, int speculation_length);

}  // namespace speclab::experiments
