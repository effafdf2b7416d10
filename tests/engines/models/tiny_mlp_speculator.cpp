#include "tests/engines/models/tiny_mlp_speculator.h"

#include <cmath>
#include <numeric>
#include <random>

#include "sim/system/errors.h"

namespace speclab::engines::testing {

void MadeWeights::add(const std::string& name, std::vector<std::int64_t> shape,
                      std::vector<float> values) {
  if (contains(name)) return;
  tensors_.push_back({name, "F32", std::move(shape), static_cast<std::int64_t>(values.size())});
  values_[name] = std::move(values);
}

const TensorInfo& MadeWeights::tensor(const std::string& name) const {
  for (const TensorInfo& info : tensors_)
    if (info.name == name) return info;
  throw ModelFileError("no tensor " + name);
}

MlpSpeculatorConfig tiny_mlp_config(const DecoderShape& target) {
  MlpSpeculatorConfig config{.name = "tiny",
                             .vocab_size = target.vocab_size,
                             .base_hidden_size = target.hidden_size,
                             .inner_size = 32,
                             .num_heads = 3};
  for (Token token = 0; token < target.vocab_size; ++token)
    if (token % 7 != 3) config.draft_vocabulary.push_back(token);
  return config;
}

MadeWeights tiny_mlp_weights(const MlpSpeculatorConfig& config, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  MadeWeights weights;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, double deviation,
                       double mean = 0) {
    std::normal_distribution<double> normal(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies())));
    for (float& value : values) value = static_cast<float>(normal(random));
    weights.add(name, std::move(shape), std::move(values));
  };
  const double scale = 1 / std::sqrt(static_cast<double>(config.inner_size));
  for (std::int32_t stage = 0; stage < config.num_heads; ++stage) {
    add(config.projection(stage),
        {config.inner_size, stage == 0 ? config.base_hidden_size : config.inner_size}, scale);
    add(config.embedding(stage), {config.num_embeddings(), config.inner_size}, scale);
    add(config.head(stage), {config.num_logits(), config.inner_size}, 3 * scale);
    add(config.scale(stage), {config.inner_size}, 0.2, 1);
    add(config.shift(stage), {config.inner_size}, 0.2);
  }
  return weights;
}

std::shared_ptr<MlpSpeculator> tiny_mlp_speculator(const DecoderShape& target,
                                                   std::vector<Token> draft_vocabulary,
                                                   int threads) {
  MlpSpeculatorConfig config = tiny_mlp_config(target);
  if (!draft_vocabulary.empty()) config.draft_vocabulary = std::move(draft_vocabulary);
  return std::make_shared<cpu::MlpSpeculatorCpu>(config, tiny_mlp_weights(config),
                                                 cpu::ElementType::float32,
                                                 std::make_shared<cpu::ThreadTeam>(threads));
}

}  // namespace speclab::engines::testing
