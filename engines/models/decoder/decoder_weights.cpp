#include "engines/models/decoder/decoder_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "engines/formats/input_file.h"
#include "sim/core/errors.h"
#include "sim/core/rng_stream.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

struct RoleName {
  TensorRole role;
  const char* gguf;
  const char* checkpoint;
};

/// "{}" stands for the layer.
constexpr RoleName kNames[] = {
    {TensorRole::embedding, "token_embd.weight", "model.embed_tokens.weight"},
    {TensorRole::output_norm, "output_norm.weight", "model.norm.weight"},
    {TensorRole::head, "output.weight", "lm_head.weight"},
    {TensorRole::attention_norm, "blk.{}.attn_norm.weight",
     "model.layers.{}.input_layernorm.weight"},
    {TensorRole::query, "blk.{}.attn_q.weight", "model.layers.{}.self_attn.q_proj.weight"},
    {TensorRole::key, "blk.{}.attn_k.weight", "model.layers.{}.self_attn.k_proj.weight"},
    {TensorRole::value, "blk.{}.attn_v.weight", "model.layers.{}.self_attn.v_proj.weight"},
    {TensorRole::attention_output, "blk.{}.attn_output.weight",
     "model.layers.{}.self_attn.o_proj.weight"},
    {TensorRole::feed_forward_norm, "blk.{}.ffn_norm.weight",
     "model.layers.{}.post_attention_layernorm.weight"},
    {TensorRole::gate, "blk.{}.ffn_gate.weight", "model.layers.{}.mlp.gate_proj.weight"},
    {TensorRole::up, "blk.{}.ffn_up.weight", "model.layers.{}.mlp.up_proj.weight"},
    {TensorRole::down, "blk.{}.ffn_down.weight", "model.layers.{}.mlp.down_proj.weight"},
    {TensorRole::embedding_norm, "", "model.embedding_norm.weight"},
    {TensorRole::feature_norm, "", "model.feature_norm.weight"},
    {TensorRole::fusion, "", "model.fusion.weight"},
};

const RoleName& names_of(TensorRole role) {
  for (const RoleName& names : kNames)
    if (names.role == role) return names;
  throw ContractError("a role without a name");
}

/// GGUF row 2 i + s of a head becomes row s * head_dim / 2 + i.
std::vector<float> halves_from_pairs(const std::vector<float>& pairs, std::int32_t num_heads,
                                     std::int32_t head_dim, std::int32_t hidden) {
  std::vector<float> halves(pairs.size());
  for (std::int32_t head = 0; head < num_heads; ++head)
    for (std::int32_t row = 0; row < head_dim; ++row) {
      const std::int64_t from = std::int64_t{head} * head_dim + row;
      const std::int64_t to = std::int64_t{head} * head_dim + (row % 2) * head_dim / 2 + row / 2;
      std::copy_n(pairs.begin() + from * hidden, hidden, halves.begin() + to * hidden);
    }
  return halves;
}

std::vector<float> tied_head(const DecoderShape& config, std::vector<float> table) {
  return config.head_is_embedding() ? std::move(table)
                                    : rows_of(config.draft_vocabulary, table, config.hidden_size);
}

/// What both file kinds share: names, tied heads, shapes.
class FileDecoderWeights : public DecoderWeights {
 public:
  FileDecoderWeights(std::shared_ptr<const WeightSource> file, const DecoderShape& config)
      : file_(std::move(file)), config_(config) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && config_.tied_embeddings)
      return tied_head(config_, read(TensorRole::embedding, 0));
    const std::string name = fmt::format(fmt::runtime(name_pattern(role)), layer);
    const std::vector<std::int64_t>& found = file_->tensor(name).shape;
    const std::vector<std::int64_t> wanted = shape_of(role, config_);
    if (found != wanted)
      throw_model_file_error(
          file_->path(), 0,
          {"tensor '" + escaped(name, 64) + "'", fmt::format("shape [{}]", fmt::join(found, ", ")),
           fmt::format("[{}], as the model's configuration says", fmt::join(wanted, ", "))});
    return arranged(role, file_->read_float32(name));
  }
  std::string sha256() const override {
    if (sha256_.empty()) sha256_ = sha256_files(file_->weight_paths());
    return sha256_;
  }

 protected:
  virtual const char* name_pattern(TensorRole role) const = 0;
  virtual std::vector<float> arranged(TensorRole, std::vector<float> values) const {
    return values;
  }
  const DecoderShape& config() const { return config_; }

 private:
  std::shared_ptr<const WeightSource> file_;
  DecoderShape config_;
  mutable std::string sha256_;  ///< empty until asked for: the whole file is read for it
};

class GgufDecoderWeights : public FileDecoderWeights {
 public:
  using FileDecoderWeights::FileDecoderWeights;

 private:
  const char* name_pattern(TensorRole role) const override { return names_of(role).gguf; }
  std::vector<float> arranged(TensorRole role, std::vector<float> values) const override {
    const DecoderShape& c = config();
    if (role == TensorRole::query)
      return halves_from_pairs(values, c.num_heads, c.head_dim, c.hidden_size);
    if (role == TensorRole::key)
      return halves_from_pairs(values, c.num_kv_heads, c.head_dim, c.hidden_size);
    return values;
  }
};

class CheckpointDecoderWeights : public FileDecoderWeights {
 public:
  using FileDecoderWeights::FileDecoderWeights;

 private:
  const char* name_pattern(TensorRole role) const override { return names_of(role).checkpoint; }
};

bool is_norm(TensorRole role) {
  switch (role) {
    case TensorRole::output_norm:
    case TensorRole::attention_norm:
    case TensorRole::feed_forward_norm:
    case TensorRole::embedding_norm:
    case TensorRole::feature_norm:
      return true;
    default:
      return false;
  }
}

class RandomDecoderWeights : public DecoderWeights {
 public:
  RandomDecoderWeights(const DecoderShape& config, std::uint64_t seed)
      : config_(config), stream_(seed) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && config_.tied_embeddings)
      return tied_head(config_, read(TensorRole::embedding, 0));
    std::vector<float> values(static_cast<std::size_t>(num_elements(role, config_)), 1.0f);
    if (is_norm(role)) return values;
    for (std::size_t i = 0; i < values.size(); i += 2) fill_pair(role, layer, i, values);
    return values;
  }
  std::string sha256() const override {
    return fmt::format("random weights, seed {}", stream_.seed());
  }
  bool are_random() const override { return true; }

 private:
  /// Two normal values from two uniforms. @source Box & Muller 1958
  void fill_pair(TensorRole role, std::int32_t layer, std::size_t i,
                 std::vector<float>& values) const {
    constexpr double kDeviation = 0.02;
    const StreamKey key{static_cast<std::uint32_t>(role), static_cast<std::uint32_t>(layer),
                        Purpose::weights, static_cast<std::uint32_t>(i)};
    const double radius = kDeviation * std::sqrt(-2.0 * std::log(1.0 - stream_.uniform(key)));
    const double angle = 2.0 * std::numbers::pi *
                         stream_.uniform({key.sequence, key.position, key.purpose, key.draw + 1});
    values[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < values.size()) values[i + 1] = static_cast<float>(radius * std::sin(angle));
  }

  DecoderShape config_;
  RngStream stream_;
};

/// A file that holds more layers than its configuration says would run as another model.
void refuse_further_layers(const WeightSource& file, const char* norm_pattern,
                           const DecoderShape& config) {
  const std::string name = fmt::format(fmt::runtime(norm_pattern), config.num_layers);
  if (file.contains(name))
    throw_model_file_error(
        file.path(), 0,
        {"tensor '" + escaped(name, 64) + "'", "in the file",
         fmt::format("{} layers, as the configuration says", config.num_layers)});
}

}  // namespace

std::vector<std::int64_t> shape_of(TensorRole role, const DecoderShape& config) {
  const std::int64_t hidden = config.hidden_size;
  switch (role) {
    case TensorRole::embedding:
      return {config.vocab_size, hidden};
    case TensorRole::head:
      return {config.num_logits(), hidden};
    case TensorRole::output_norm:
    case TensorRole::embedding_norm:
    case TensorRole::attention_norm:
    case TensorRole::feed_forward_norm:
      return {hidden};
    case TensorRole::query:
      return {config.query_size(), hidden};
    case TensorRole::attention_output:
      return {hidden, config.query_size()};
    case TensorRole::key:
    case TensorRole::value:
      return {config.kv_size(), hidden};
    case TensorRole::gate:
    case TensorRole::up:
      return {config.intermediate_size, hidden};
    case TensorRole::down:
      return {hidden, config.intermediate_size};
    case TensorRole::feature_norm:
      return {config.feature_size};
    case TensorRole::fusion:
      return {hidden, hidden + config.feature_size};
  }
  throw ContractError("a role without a shape");
}

std::int64_t num_elements(TensorRole role, const DecoderShape& config) {
  const std::vector<std::int64_t> shape = shape_of(role, config);
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table,
                           std::int32_t width) {
  std::vector<float> rows;
  rows.reserve(tokens.size() * static_cast<std::size_t>(width));
  for (const Token token : tokens) {
    const std::span row =
        table.subspan(static_cast<std::size_t>(token) * static_cast<std::size_t>(width),
                      static_cast<std::size_t>(width));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::unique_ptr<DecoderWeights> llama_weights_from_gguf(std::shared_ptr<const WeightSource> file,
                                                        const DecoderShape& config) {
  refuse_further_layers(*file, names_of(TensorRole::attention_norm).gguf, config);
  return std::make_unique<GgufDecoderWeights>(std::move(file), config);
}

std::unique_ptr<DecoderWeights> llama_weights_from_checkpoint(
    std::shared_ptr<const WeightSource> folder, const DecoderShape& config) {
  refuse_further_layers(*folder, names_of(TensorRole::attention_norm).checkpoint, config);
  return std::make_unique<CheckpointDecoderWeights>(std::move(folder), config);
}

std::unique_ptr<DecoderWeights> random_llama_weights(const DecoderShape& config,
                                                     std::uint64_t seed) {
  return std::make_unique<RandomDecoderWeights>(config, seed);
}

}  // namespace speclab::engines
