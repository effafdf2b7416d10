#include "engines/models/decoder/decoder_shape.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engines/formats/gguf_file.h"
#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/models/decoder/llama_variants.h"
#include "engines/models/decoder/shape_json.h"
#include "engines/models/draft_vocabulary.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

[[noreturn]] void refuse(const std::string& where, const char* field, std::string found,
                         std::string allowed) {
  throw_model_file_error(where, 0,
                         {field, std::move(found), std::move(allowed),
                          "the file is damaged or not a Llama-family model"});
}

std::int32_t require(const std::string& where, const char* field, std::int64_t value,
                     std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    refuse(where, field, fmt::format("{}", value), fmt::format("{} to {}", least, most));
  return static_cast<std::int32_t>(value);
}

/// A positive integer field, or `otherwise` where it is missing.
std::int32_t positive(const JsonNode& object, const char* field, std::int64_t most,
                      std::int32_t otherwise) {
  const auto found = object.find(field);
  return found ? static_cast<std::int32_t>(found->as_integer(1, most)) : otherwise;
}

std::int32_t positive(const JsonNode& object, const char* field, std::int64_t most) {
  return static_cast<std::int32_t>(object.at(field).as_integer(1, most));
}

float real(const JsonNode& object, const char* field, float otherwise) {
  const auto found = object.find(field);
  return found ? static_cast<float>(found->as_number()) : otherwise;
}

/// Transformers 5 writes it into rope_parameters, and then that counts.
float json_rope_theta(const JsonNode& object) {
  const float theta = real(object, "rope_theta", 10000.0f);
  const auto parameters = object.find("rope_parameters");
  return parameters ? real(*parameters, "rope_theta", theta) : theta;
}

constexpr std::int64_t kMaxVocab = 2'000'000, kMaxLength = 1 << 24, kMaxLayers = 1000,
                       kMaxWidth = 1 << 20, kMaxHeads = 4096;

}  // namespace

std::int64_t DecoderShape::num_parameters() const {
  const std::int64_t beside_head = parameters_read() - std::int64_t{hidden_size} * num_logits();
  if (is_feature_transformer()) return beside_head;
  return beside_head + std::int64_t{hidden_size} *
                           (std::int64_t{vocab_size} + (tied_embeddings ? 0 : num_logits()));
}

std::int64_t DecoderShape::parameters_read() const {
  const std::int64_t h = hidden_size;
  const std::int64_t layer =
      h * (2 * query_size() + 2 * kv_size()) + 3 * h * intermediate_size + 2 * h;
  const std::int64_t fusion =
      is_feature_transformer() ? h * (h + feature_size) + h + feature_size : 0;
  return num_layers * layer + fusion + h + h * num_logits();
}

void DecoderShape::validate(const std::string& where) const {
  require(where, "vocab_size", vocab_size, 1, kMaxVocab);
  require(where, "context_length", context_length, 1, kMaxLength);
  require(where, "num_layers", num_layers, 1, kMaxLayers);
  require(where, "hidden_size", hidden_size, 16, kMaxWidth);
  require(where, "intermediate_size", intermediate_size, 16, kMaxWidth);
  require(where, "num_heads", num_heads, 1, kMaxHeads);
  require(where, "num_kv_heads", num_kv_heads, 1, num_heads);
  require(where, "head_dim", head_dim, 16, 1024);
  for (const auto& [field, value] : {std::pair{"hidden_size", hidden_size},
                                     {"intermediate_size", intermediate_size},
                                     {"head_dim", head_dim}})
    if (value % 16 != 0) refuse(where, field, fmt::format("{}", value), "multiples of 16");
  if (num_heads % num_kv_heads != 0)
    refuse(where, "num_kv_heads", fmt::format("{}", num_kv_heads),
           fmt::format("divisors of num_heads = {}", num_heads));
  if (!(rope_theta > 0) || !(rms_epsilon > 0) || !std::isfinite(rope_theta) ||
      !std::isfinite(rms_epsilon))
    refuse(where, "rope_theta, rms_epsilon", fmt::format("{}, {}", rope_theta, rms_epsilon),
           "finite positive numbers");
}

DecoderShape llama_config_from_gguf(const GgufFile& file) {
  const GgufMetadata& metadata = file.metadata();
  const std::string architecture = metadata.get<std::string>("general.architecture");
  if (architecture != "llama")
    metadata.fail("general.architecture", "'" + escaped(architecture, 64) + "'",
                  "'llama', a Llama-family model");
  DecoderShape config;
  config.name = metadata.find<std::string>("general.name").value_or("llama");
  config.context_length =
      require(file.path(), "llama.context_length",
              metadata.get<std::int64_t>("llama.context_length"), 1, kMaxLength);
  config.num_layers = require(file.path(), "llama.block_count",
                              metadata.get<std::int64_t>("llama.block_count"), 1, kMaxLayers);
  config.hidden_size = require(file.path(), "llama.embedding_length",
                               metadata.get<std::int64_t>("llama.embedding_length"), 16, kMaxWidth);
  config.intermediate_size =
      require(file.path(), "llama.feed_forward_length",
              metadata.get<std::int64_t>("llama.feed_forward_length"), 16, kMaxWidth);
  config.num_heads =
      require(file.path(), "llama.attention.head_count",
              metadata.get<std::int64_t>("llama.attention.head_count"), 1, kMaxHeads);
  config.num_kv_heads = require(
      file.path(), "llama.attention.head_count_kv",
      metadata.find<std::int64_t>("llama.attention.head_count_kv").value_or(config.num_heads), 1,
      kMaxHeads);
  config.head_dim = config.hidden_size / config.num_heads;
  config.rope_theta = metadata.find<float>("llama.rope.freq_base").value_or(10000.0f);
  config.rms_epsilon = metadata.get<float>("llama.attention.layer_norm_rms_epsilon");
  const std::vector<std::int64_t>& table = file.tensor("token_embd.weight").shape;
  config.vocab_size =
      require(file.path(), "rows of token_embd.weight", table.empty() ? 0 : table[0], 1, kMaxVocab);
  config.tied_embeddings = !file.contains("output.weight");
  config.validate(file.path());
  refuse_variants(file, config);
  return config;
}

DecoderShape read_llama_shape(const JsonNode& object) {
  DecoderShape config;
  config.vocab_size = positive(object, "vocab_size", kMaxVocab);
  config.context_length = positive(object, "max_position_embeddings", kMaxLength);
  config.num_layers = positive(object, "num_hidden_layers", kMaxLayers);
  config.hidden_size = positive(object, "hidden_size", kMaxWidth);
  config.intermediate_size = positive(object, "intermediate_size", kMaxWidth);
  config.num_heads = positive(object, "num_attention_heads", kMaxHeads);
  config.num_kv_heads = positive(object, "num_key_value_heads", kMaxHeads, config.num_heads);
  config.head_dim = positive(object, "head_dim", kMaxWidth, config.hidden_size / config.num_heads);
  config.rope_theta = json_rope_theta(object);
  config.rms_epsilon = real(object, "rms_norm_eps", 1e-6f);
  return config;
}

nlohmann::ordered_json llama_shape_json(const DecoderShape& config) {
  return {{"vocab_size", config.vocab_size},
          {"max_position_embeddings", config.context_length},
          {"num_hidden_layers", config.num_layers},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"num_attention_heads", config.num_heads},
          {"num_key_value_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"rope_theta", config.rope_theta},
          {"rms_norm_eps", config.rms_epsilon}};
}

DecoderShape llama_config_from_json(const std::string& path) {
  const nlohmann::json root = read_json_file(path);
  const JsonNode object(root, path);
  if (const JsonNode type = object.at("model_type"); type.as_string() != "llama")
    type.fail(type.shown(), "\"llama\"");
  DecoderShape config = read_llama_shape(object);
  const auto tied = object.find("tie_word_embeddings");
  config.tied_embeddings = tied && tied->as_bool();
  if (const auto list = object.find("draft_vocabulary")) {
    if (!config.tied_embeddings)
      list->fail("a draft vocabulary beside a head of its own",
                 "tie_word_embeddings true, whose rows for these tokens are the head");
    config.draft_vocabulary = read_draft_vocabulary(*list, config.vocab_size);
  }
  config.config_sha256 = sha256_file(path);
  config.validate(path);
  refuse_variants(object);
  return config;
}

void write_llama_config_json(const DecoderShape& config, const std::string& path,
                             const std::string& dtype) {
  nlohmann::ordered_json object = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"}};
  object.update(llama_shape_json(config));
  object.update({{"hidden_act", "silu"},
                 {"attention_bias", false},
                 {"mlp_bias", false},
                 {"tie_word_embeddings", config.tied_embeddings},
                 {"torch_dtype", dtype}});
  if (!config.draft_vocabulary.empty()) object["draft_vocabulary"] = config.draft_vocabulary;
  write_file(path, object.dump(config.draft_vocabulary.empty() ? 2 : -1) + "\n");
}

}  // namespace speclab::engines
