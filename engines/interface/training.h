#pragma once
// Training of drafters on the target's own output. Free of torch.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// How the target's own text is made: every prompt once, temperatures in turn.
struct OwnTextOptions {
  std::vector<std::vector<Token>> prompts;
  std::vector<double> temperatures{0.0, 0.7, 1.0};
  std::int32_t max_new_tokens = 192;
  std::int32_t batch = 32;               ///< sequences generated together
  std::uint64_t seed = 1;
  std::string cache_file;                ///< finished batches are kept here; a repeated or resumed call reads them
};

/// Shape and training of a Llama-like drafter with the target's whole vocabulary and tied embeddings.
struct SmallTransformerOptions {
  std::int32_t hidden_size = 160;
  std::int32_t num_layers = 4;
  std::int32_t num_heads = 5;
  std::int32_t intermediate_size = 640;
  std::int32_t batch = 16;               ///< sequences a step
  double learning_rate = 2e-3;           ///< peak; warmed up over 3 % of the steps, then a half cosine to 0
  double weight_decay = 0.05;
  double max_gradient_norm = 1.0;
  std::int32_t epochs = 4;
  double max_minutes = 20;               ///< > 0; the schedule is fitted to whichever ends first
  std::int32_t validation_sequences = 48;
  std::uint64_t seed = 1;
};

struct TrainOptions {
  OwnTextOptions own_text;
  std::string drafter = "small_transformer";  ///< or "bigram"
  SmallTransformerOptions small_transformer;
  std::int32_t max_successors = 32;           ///< bigram: kept per token
  std::string output;                         ///< folder of the drafter
};

/// One line of progress.
struct TrainProgress {
  std::string phase;                     ///< "own text", "train", "validate"
  double fraction = 0;                   ///< of the phase, [0, 1]
  double loss = 0;                       ///< mean cross-entropy to the target's law, nats; 0 outside training
  double acceptance_rate = 0;            ///< validation: mean sum of min(p, q) at temperature 1
  double greedy_agreement = 0;           ///< validation: share of equal arg max
  std::int64_t tokens = 0;               ///< made or visited so far
};
using TrainCallback = std::function<void(const TrainProgress&)>;

}  // namespace speclab::engines
