#include "engines/models/llama/llama_weights.h"

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
  LlamaTensor role;
  const char* gguf;
  const char* checkpoint;
};

/// "{}" stands for the layer.
constexpr RoleName kNames[] = {
    {LlamaTensor::embedding, "token_embd.weight", "model.embed_tokens.weight"},
    {LlamaTensor::output_norm, "output_norm.weight", "model.norm.weight"},
    {LlamaTensor::head, "output.weight", "lm_head.weight"},
    {LlamaTensor::attention_norm, "blk.{}.attn_norm.weight",
     "model.layers.{}.input_layernorm.weight"},
    {LlamaTensor::query, "blk.{}.attn_q.weight", "model.layers.{}.self_attn.q_proj.weight"},
    {LlamaTensor::key, "blk.{}.attn_k.weight", "model.layers.{}.self_attn.k_proj.weight"},
    {LlamaTensor::value, "blk.{}.attn_v.weight", "model.layers.{}.self_attn.v_proj.weight"},
    {LlamaTensor::attention_output, "blk.{}.attn_output.weight",
     "model.layers.{}.self_attn.o_proj.weight"},
    {LlamaTensor::feed_forward_norm, "blk.{}.ffn_norm.weight",
     "model.layers.{}.post_attention_layernorm.weight"},
    {LlamaTensor::gate, "blk.{}.ffn_gate.weight", "model.layers.{}.mlp.gate_proj.weight"},
    {LlamaTensor::up, "blk.{}.ffn_up.weight", "model.layers.{}.mlp.up_proj.weight"},
    {LlamaTensor::down, "blk.{}.ffn_down.weight", "model.layers.{}.mlp.down_proj.weight"},
    {LlamaTensor::embedding_norm, "", "model.embedding_norm.weight"},
    {LlamaTensor::feature_norm, "", "model.feature_norm.weight"},
    {LlamaTensor::fusion, "", "model.fusion.weight"},
};

const RoleName& names_of(LlamaTensor role) {
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

std::vector<float> tied_head(const LlamaConfig& config, std::vector<float> table) {
  return config.head_is_embedding() ? std::move(table)
                                    : rows_of(config.draft_vocabulary, table, config.hidden_size);
}

/// What both file kinds share: names, tied heads, shapes.
class FileLlamaWeights : public LlamaWeights {
 public:
  FileLlamaWeights(std::shared_ptr<const WeightSource> file, const LlamaConfig& config)
      : file_(std::move(file)), config_(config) {}

  std::vector<float> read(LlamaTensor role, std::int32_t layer) const override {
    if (role == LlamaTensor::head && config_.tied_embeddings)
      return tied_head(config_, read(LlamaTensor::embedding, 0));
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
  virtual const char* name_pattern(LlamaTensor role) const = 0;
  virtual std::vector<float> arranged(LlamaTensor, std::vector<float> values) const {
    return values;
  }
  const LlamaConfig& config() const { return config_; }

 private:
  std::shared_ptr<const WeightSource> file_;
  LlamaConfig config_;
  mutable std::string sha256_;  ///< empty until asked for: the whole file is read for it
};

class GgufLlamaWeights : public FileLlamaWeights {
 public:
  using FileLlamaWeights::FileLlamaWeights;

 private:
  const char* name_pattern(LlamaTensor role) const override { return names_of(role).gguf; }
  std::vector<float> arranged(LlamaTensor role, std::vector<float> values) const override {
    const LlamaConfig& c = config();
    if (role == LlamaTensor::query)
      return halves_from_pairs(values, c.num_heads, c.head_dim, c.hidden_size);
    if (role == LlamaTensor::key)
      return halves_from_pairs(values, c.num_kv_heads, c.head_dim, c.hidden_size);
    return values;
  }
};

class CheckpointLlamaWeights : public FileLlamaWeights {
 public:
  using FileLlamaWeights::FileLlamaWeights;

 private:
  const char* name_pattern(LlamaTensor role) const override { return names_of(role).checkpoint; }
};

bool is_norm(LlamaTensor role) {
  switch (role) {
    case LlamaTensor::output_norm:
    case LlamaTensor::attention_norm:
    case LlamaTensor::feed_forward_norm:
    case LlamaTensor::embedding_norm:
    case LlamaTensor::feature_norm:
      return true;
    default:
      return false;
  }
}

class RandomLlamaWeights : public LlamaWeights {
 public:
  RandomLlamaWeights(const LlamaConfig& config, std::uint64_t seed)
      : config_(config), stream_(seed) {}

  std::vector<float> read(LlamaTensor role, std::int32_t layer) const override {
    if (role == LlamaTensor::head && config_.tied_embeddings)
      return tied_head(config_, read(LlamaTensor::embedding, 0));
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
  void fill_pair(LlamaTensor role, std::int32_t layer, std::size_t i,
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

  LlamaConfig config_;
  RngStream stream_;
};

/// A file that holds more layers than its configuration says would run as another model.
void refuse_further_layers(const WeightSource& file, const char* norm_pattern,
                           const LlamaConfig& config) {
  const std::string name = fmt::format(fmt::runtime(norm_pattern), config.num_layers);
  if (file.contains(name))
    throw_model_file_error(
        file.path(), 0,
        {"tensor '" + escaped(name, 64) + "'", "in the file",
         fmt::format("{} layers, as the configuration says", config.num_layers)});
}

}  // namespace

std::vector<std::int64_t> shape_of(LlamaTensor role, const LlamaConfig& config) {
  const std::int64_t hidden = config.hidden_size;
  switch (role) {
    case LlamaTensor::embedding:
      return {config.vocab_size, hidden};
    case LlamaTensor::head:
      return {config.num_logits(), hidden};
    case LlamaTensor::output_norm:
    case LlamaTensor::embedding_norm:
    case LlamaTensor::attention_norm:
    case LlamaTensor::feed_forward_norm:
      return {hidden};
    case LlamaTensor::query:
      return {config.query_size(), hidden};
    case LlamaTensor::attention_output:
      return {hidden, config.query_size()};
    case LlamaTensor::key:
    case LlamaTensor::value:
      return {config.kv_size(), hidden};
    case LlamaTensor::gate:
    case LlamaTensor::up:
      return {config.intermediate_size, hidden};
    case LlamaTensor::down:
      return {hidden, config.intermediate_size};
    case LlamaTensor::feature_norm:
      return {config.feature_size};
    case LlamaTensor::fusion:
      return {hidden, hidden + config.feature_size};
  }
  throw ContractError("a role without a shape");
}

std::int64_t num_elements(LlamaTensor role, const LlamaConfig& config) {
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

std::unique_ptr<LlamaWeights> llama_weights_from_gguf(std::shared_ptr<const WeightSource> file,
                                                      const LlamaConfig& config) {
  refuse_further_layers(*file, names_of(LlamaTensor::attention_norm).gguf, config);
  return std::make_unique<GgufLlamaWeights>(std::move(file), config);
}

std::unique_ptr<LlamaWeights> llama_weights_from_checkpoint(
    std::shared_ptr<const WeightSource> folder, const LlamaConfig& config) {
  refuse_further_layers(*folder, names_of(LlamaTensor::attention_norm).checkpoint, config);
  return std::make_unique<CheckpointLlamaWeights>(std::move(folder), config);
}

std::unique_ptr<LlamaWeights> random_llama_weights(const LlamaConfig& config, std::uint64_t seed) {
  return std::make_unique<RandomLlamaWeights>(config, seed);
}

}  // namespace speclab::engines
