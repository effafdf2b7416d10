#pragma once
#include "engines/training/own_text.h"

namespace speclab::engines {

/// What the drafter takes over from its target.
struct TargetEmbedding {
  std::int32_t vocab_size = 0;
  std::int32_t hidden_size = 0;
  std::int32_t context_length = 0;
  std::vector<float> values;  ///< [vocab_size, hidden_size]
  std::string name, sha256;   ///< of the target
};

/// Distils the target's law into a small Llama-like model and writes it as a checkpoint folder
/// (config.json, model.safetensors in bfloat16, training.csv with the loss and validation curve,
/// manifest.json).
///
/// The loss is the cross-entropy to the target's law at temperature 1: its most likely tokens with
/// their probabilities, and the emitted token with weight 1 where it is not among them, which is
/// unbiased for text sampled at temperature 1. With a draft vocabulary it is that of the mass that
/// can be drafted, over all places: it falls where the vocabulary is smaller, so losses compare at
/// one draft vocabulary only, acceptance rates at any.
/// @param target  its embedding table gives the first principal directions to start from
/// @throws ConfigError if there is less text than one validation set and one step, WriteError
void train_small_transformer(const std::vector<OwnText>& texts, const TargetEmbedding& target,
                             const TrainOptions& options, const TrainCallbacks& callbacks);

/// Trains such a model from random weights on texts whose laws are certain, for a vocabulary of its
/// own.
/// @param options  shape: small_transformer @param write_tokenizer  called when it is trained,
/// before its config.json says so
/// @throws as train_small_transformer, and what write_tokenizer throws
void train_byte_transformer(const std::vector<OwnText>& texts, std::int32_t vocab_size,
                            const TrainOptions& options, const TrainCallbacks& callbacks,
                            const std::function<void()>& write_tokenizer);

}  // namespace speclab::engines
