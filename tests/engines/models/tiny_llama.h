#pragma once
// Llama models of a few thousand parameters with random weights, and the forms in which tests feed
// them.

#include <memory>
#include <random>
#include <vector>

#include "engines/cpu/decoder_cpu.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::testing {

/// Two layers of width 64 over 300 tokens; fields may be changed.
DecoderShape tiny_config();

/// Random weights with standard deviation 0.02 * scale, so that the laws are neither flat nor
/// certain. Of them, the share `foreign` comes from another seed: models with the same seed and a
/// small share resemble each other.
struct TinyWeightsOptions {
  std::uint64_t seed = 1;
  float scale = 8.0f;
  float foreign = 0.0f;
  std::uint64_t foreign_seed = 2;
};
std::unique_ptr<DecoderWeights> tiny_weights(const DecoderShape& config,
                                             const TinyWeightsOptions& options = {});

/// The same weights, with query and key rows turned by `step` rotary steps: a model that takes
/// every position for one `step` further.
std::unique_ptr<DecoderWeights> moved_weights(const DecoderShape& config, int step,
                                              const TinyWeightsOptions& options = {});

struct TinyModelOptions {
  cpu::NumberForms type = cpu::ElementType::float32;
  int threads = 1;
  const cpu::CpuKernels* kernels = cpu::best_kernels();
  TinyWeightsOptions weights{};
  int position_step = 0;  ///< see moved_weights
};
std::unique_ptr<LanguageModel> tiny_model(const DecoderShape& config,
                                          const TinyModelOptions& options = {});

/// A feature transformer for the target of this configuration and seed: its first layer, behind a
/// fusion that keeps the embedding and adds a little of the feature, and its head but for every
/// seventh token. So it agrees with the target now and then.
/// @param features  states that it reads: the target's last one, and of 3 those of state_layers()
DecoderShape tiny_feature_config(const DecoderShape& target, std::int32_t features = 1);
std::unique_ptr<DecoderWeights> tiny_feature_weights(const DecoderShape& target,
                                                     const TinyWeightsOptions& options = {},
                                                     std::int32_t features = 1);
std::unique_ptr<LanguageModel> tiny_feature_model(const DecoderShape& target,
                                                  const TinyModelOptions& options = {});

/// `count` tokens below `vocab_size`.
std::vector<Token> random_tokens(std::mt19937& random, std::int32_t vocab_size, std::size_t count);

/// Rows of a chain behind `first_position` committed tokens.
std::vector<ForwardRow> chain_rows(std::span<const Token> tokens, std::int32_t slot,
                                   std::int32_t first_position);

/// Feeds and commits tokens as one chain. @return logits after each, [tokens, vocab]
std::vector<std::vector<float>> commit_all(LanguageModel& model, KvCache& cache, std::int32_t slot,
                                           std::span<const Token> tokens);

/// Logits after every token of one sequence, in a cache of their own.
std::vector<std::vector<float>> logits_of(LanguageModel& model, std::span<const Token> tokens);

std::vector<std::vector<float>> copy_rows(const ForwardResult& result);

}  // namespace speclab::engines::testing
