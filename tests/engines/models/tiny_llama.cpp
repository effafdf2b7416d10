#include "tests/engines/models/tiny_llama.h"

#include <cmath>
#include <numeric>

namespace speclab::engines::testing {
namespace {

class TinyWeights final : public DecoderWeights {
 public:
  TinyWeights(const DecoderShape& config, const TinyWeightsOptions& options)
      : options_(options),
        own_(random_decoder_weights(config, options.seed)),
        foreign_(random_decoder_weights(config, options.foreign_seed)) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    std::vector<float> values = own_->read(role, layer);
    if (values.front() == 1.0f) return values;
    const std::vector<float> others = foreign_->read(role, layer);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          options_.scale * ((1.0f - options_.foreign) * values[i] + options_.foreign * others[i]);
    return values;
  }
  std::string sha256() const override { return "random weights"; }

 private:
  TinyWeightsOptions options_;
  std::unique_ptr<DecoderWeights> own_, foreign_;
};

class MovedWeights final : public DecoderWeights {
 public:
  MovedWeights(const DecoderShape& config, int step, const TinyWeightsOptions& options)
      : config_(config), step_(step), weights_(config, options) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    std::vector<float> values = weights_.read(role, layer);
    if (role != TensorRole::query && role != TensorRole::key) return values;
    const std::size_t columns = static_cast<std::size_t>(config_.hidden_size),
                      dim = static_cast<std::size_t>(config_.head_dim), half = dim / 2;
    for (std::size_t head = 0; head < values.size(); head += dim * columns)
      for (std::size_t i = 0; i < half * columns; ++i)
        turn(values[head + i], values[head + i + half * columns], i / columns);
    return values;
  }
  std::string sha256() const override { return weights_.sha256(); }

 private:
  void turn(float& low, float& high, std::size_t pair) const {
    const double angle = step_ * std::pow(static_cast<double>(config_.rope_theta),
                                          -2.0 * static_cast<double>(pair) / config_.head_dim);
    const double a = static_cast<double>(low), b = static_cast<double>(high);
    low = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
    high = static_cast<float>(b * std::cos(angle) + a * std::sin(angle));
  }

  DecoderShape config_;
  int step_;
  TinyWeights weights_;
};

class TinyFeatureWeights final : public DecoderWeights {
 public:
  TinyFeatureWeights(const DecoderShape& config, const DecoderShape& target,
                     const TinyWeightsOptions& options)
      : config_(config),
        options_(options),
        own_(random_decoder_weights(config, options.foreign_seed)),
        target_(target, options) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::fusion) return fusion();
    if (role == TensorRole::embedding_norm || role == TensorRole::feature_norm)
      return own_->read(role, layer);
    return role == TensorRole::head ? head() : target_.read(role, layer);
  }
  std::string sha256() const override { return "random weights"; }

 private:
  /// The embedding at its own length, as its norm has length 1, and the feature turned at random:
  /// the more states it has, the less of each.
  std::vector<float> fusion() const {
    constexpr float kOfRandomWeights = 0.02f;
    std::vector<float> values = own_->read(TensorRole::fusion, 0);
    const auto columns = static_cast<std::size_t>(config_.hidden_size + config_.feature_size);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i % columns >= static_cast<std::size_t>(config_.hidden_size))
        values[i] /= static_cast<float>(num_features(config_));
      else
        values[i] = i % columns == i / columns ? kOfRandomWeights * options_.scale : 0.0f;
    return values;
  }
  std::vector<float> head() const {
    return rows_of(config_.draft_vocabulary, target_.read(TensorRole::embedding, 0),
                   config_.hidden_size);
  }

  DecoderShape config_;
  TinyWeightsOptions options_;
  std::unique_ptr<DecoderWeights> own_;
  TinyWeights target_;
};

}  // namespace

DecoderShape tiny_config() {
  DecoderShape config;
  config.name = "tiny";
  config.vocab_size = 300;
  config.context_length = 512;
  config.num_layers = 2;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 16;
  config.validate("tiny_config");
  return config;
}

DecoderShape tiny_feature_config(const DecoderShape& target, std::int32_t features) {
  DecoderShape config = target;
  config.num_layers = 1;
  config.feature_size = features * target.hidden_size;
  config.tied_embeddings = false;
  for (Token token = 0; token < target.vocab_size; ++token)
    if (token % 7 != 6) config.draft_vocabulary.push_back(token);
  return config;
}

std::unique_ptr<DecoderWeights> tiny_feature_weights(const DecoderShape& target,
                                                     const TinyWeightsOptions& options,
                                                     std::int32_t features) {
  return std::make_unique<TinyFeatureWeights>(tiny_feature_config(target, features), target,
                                              options);
}

std::unique_ptr<DecoderWeights> tiny_weights(const DecoderShape& config,
                                             const TinyWeightsOptions& options) {
  return std::make_unique<TinyWeights>(config, options);
}

std::unique_ptr<DecoderWeights> moved_weights(const DecoderShape& config, int step,
                                              const TinyWeightsOptions& options) {
  return std::make_unique<MovedWeights>(config, step, options);
}

std::unique_ptr<LanguageModel> tiny_model(const DecoderShape& config,
                                          const TinyModelOptions& options) {
  config.validate("tiny_model");
  const auto weights = options.position_step == 0
                           ? tiny_weights(config, options.weights)
                           : moved_weights(config, options.position_step, options.weights);
  return std::make_unique<cpu::DecoderCpu>(config, *weights, options.type,
                                           std::make_shared<cpu::ThreadTeam>(options.threads),
                                           options.kernels);
}

std::unique_ptr<LanguageModel> tiny_feature_model(const DecoderShape& target,
                                                  const TinyModelOptions& options) {
  return std::make_unique<cpu::DecoderCpu>(
      tiny_feature_config(target), *tiny_feature_weights(target, options.weights), options.type,
      std::make_shared<cpu::ThreadTeam>(options.threads), options.kernels);
}

std::vector<Token> random_tokens(std::mt19937& random, std::int32_t vocab_size, std::size_t count) {
  std::vector<Token> tokens(count);
  for (Token& token : tokens)
    token = static_cast<Token>(random() % static_cast<std::uint32_t>(vocab_size));
  return tokens;
}

std::vector<ForwardRow> chain_rows(std::span<const Token> tokens, std::int32_t slot,
                                   std::int32_t first_position) {
  std::vector<ForwardRow> rows;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    rows.push_back({tokens[i], first_position + index, slot, index - 1});
  }
  return rows;
}

std::vector<std::vector<float>> commit_all(LanguageModel& model, KvCache& cache, std::int32_t slot,
                                           std::span<const Token> tokens) {
  const auto logits = copy_rows(model.forward(chain_rows(tokens, slot, cache.length(slot)), cache));
  std::vector<std::int32_t> path(tokens.size());
  std::iota(path.begin(), path.end(), 0);
  cache.commit(slot, path);
  return logits;
}

std::vector<std::vector<float>> logits_of(LanguageModel& model, std::span<const Token> tokens) {
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(tokens.size()));
  return commit_all(model, *cache, cache->begin(), tokens);
}

std::vector<std::vector<float>> copy_rows(const ForwardResult& result) {
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i * static_cast<std::size_t>(result.vocab_size) < result.logits.size();
       ++i)
    rows.emplace_back(result.row(i).begin(), result.row(i).end());
  return rows;
}

}  // namespace speclab::engines::testing
