#pragma once
#include <cstdint>

namespace speclab {

/// What a drafter of ours learned from, and what it gave to held-out text.
struct TrainingRecord {
  std::int64_t tokens = 0;   ///< of the training text, a pass
  double held_out_loss = 0;  ///< nats a token: cross-entropy to the target's law; of n-grams and
                             ///< language models to the text's own tokens
  double held_out_agreement = 0;   ///< share of places where its most likely token is the target's;
                                   ///< of a language model the text's
  double held_out_acceptance = 0;  ///< mean sum min(p, q), of some kinds a lower bound; of a
                                   ///< language model the mean probability of the text's next token
};

}  // namespace speclab
