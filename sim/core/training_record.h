#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace speclab {

/// Training text of a drafter that speclab trained, and its results on held-out text.
struct TrainingRecord {
  std::int64_t tokens = 0;   ///< tokens of the training text in one pass
  double held_out_loss = 0;  ///< cross-entropy to the target's law, in nats a token; for n-grams
                             ///< and language models to the text's own tokens
  double held_out_agreement = 0;   ///< share of positions at which its most likely token is the
                                   ///< target's; for a language model, the text's
  double held_out_acceptance = 0;  ///< mean sum of min(p, q), for some kinds a lower bound; for a
                                   ///< language model the mean probability of the text's next token
};

/// The origin of a file: keys and their texts, in the order in which they are written.
using Provenance = std::vector<std::pair<std::string, std::string>>;

}  // namespace speclab
