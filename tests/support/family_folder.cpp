#include <bit>
#include <cstdint>
#include <fstream>
#include <span>

#include "tests/support/family_files.h"
#include "tests/support/family_fusions.h"

namespace speclab::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kTypeNames[] = {"F32", "F16", "BF16"};

/// Exact, since made values have eight significant bits.
std::string bytes_of(const std::vector<float>& values, WeightType type) {
  std::string bytes;
  const auto append = [&](const auto number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (const float value : values) {
    if (type == WeightType::float32) append(value);
    if (type == WeightType::float16) append(static_cast<_Float16>(value));
    if (type == WeightType::bfloat16)
      append(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
  }
  return bytes;
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void write_weights(const std::string& path, std::span<const StoredTensor> tensors,
                   WeightType type) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    const std::size_t begin = data.size();
    data += bytes_of(tensor.values, type);
    header[tensor.name] = {{"dtype", kTypeNames[static_cast<int>(type)]},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  write_bytes(path,
              std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text + data);
}

void write_shards(const std::string& folder, std::span<const StoredTensor> tensors,
                  const FolderForm& form) {
  Json weight_map = Json::object();
  const auto count = static_cast<std::size_t>(form.shards);
  for (std::size_t shard = 0; shard < count; ++shard) {
    const std::size_t begin = tensors.size() * shard / count,
                      end = tensors.size() * (shard + 1) / count;
    const std::string digits = std::to_string(shard + 1), all = std::to_string(count);
    const std::string name = "model-" + std::string(5 - digits.size(), '0') + digits + "-of-" +
                             std::string(5 - all.size(), '0') + all + ".safetensors";
    for (std::size_t i = begin; i < end; ++i) weight_map[tensors[i].name] = name;
    write_weights(folder + "/" + name, tensors.subspan(begin, end - begin), form.type);
  }
  write_bytes(folder + "/model.safetensors.index.json",
              Json{{"metadata", Json::object()}, {"weight_map", weight_map}}.dump());
}

bool is_tied(const FamilyFixture& fixture) {
  return fixture.config.value("tie_word_embeddings", true);
}

std::string without_prefix(const std::string& name) {
  for (const char* prefix : {"model.", "transformer.", "gpt_neox."})
    if (name.starts_with(prefix)) return name.substr(std::string(prefix).size());
  return name;
}

void add_tied_head(const FamilyFixture& fixture, const MadeModel& model,
                   std::vector<StoredTensor>& tensors) {
  for (const char* embedding : {"embed_tokens.weight", "wte.weight"})
    for (const MadeTensor& tensor : fixture.tensors)
      if (tensor.name.ends_with(embedding))
        tensors.push_back({"lm_head.weight", tensor.shape, made_values(tensor, model)});
}

/// What older versions stored beside the weights of one layer.
std::vector<StoredTensor> buffers_of(const FamilyFixture& fixture) {
  if (fixture.model_type() == "opt") return {};
  const std::vector<float> mask(16 * 16, 1.0f), frequencies(8, 0.5f);
  if (fixture.model_type() == "gpt2")
    return {{"transformer.h.0.attn.bias", {1, 1, 16, 16}, mask},
            {"transformer.h.0.attn.masked_bias", {}, {-10000.0f}}};
  if (fixture.model_type() == "gpt_neox")
    return {{"gpt_neox.layers.0.attention.bias", {1, 1, 16, 16}, mask},
            {"gpt_neox.layers.0.attention.masked_bias", {}, {-1000000000.0f}},
            {"gpt_neox.layers.0.attention.rotary_emb.inv_freq", {8}, frequencies}};
  return {{"model.layers.0.self_attn.rotary_emb.inv_freq", {8}, frequencies}};
}

std::int64_t head_size(const FamilyFixture& fixture) {
  const std::int64_t hidden = fixture.config.at("hidden_size"),
                     heads = fixture.config.at("num_attention_heads");
  const auto found = fixture.config.find("head_dim");
  return found == fixture.config.end() || found->is_null() ? hidden / heads
                                                           : found->get<std::int64_t>();
}
std::int64_t query_rows(const FamilyFixture& fixture) {
  return fixture.config.at("num_attention_heads").get<std::int64_t>() * head_size(fixture);
}
std::int64_t key_rows(const FamilyFixture& fixture) {
  return fixture.config.at("num_key_value_heads").get<std::int64_t>() * head_size(fixture);
}

std::vector<StoredTensor> stored_tensors(const FamilyFixture& fixture, const MadeModel& model,
                                         const FolderForm& form) {
  std::vector<StoredTensor> tensors;
  for (const MadeTensor& tensor : fixture.tensors)
    tensors.push_back({tensor.name, tensor.shape, made_values(tensor, model)});
  if (form.fusion == Fusion::fused) tensors = fused(tensors);
  if (form.fusion == Fusion::separate)
    tensors = separated(tensors, query_rows(fixture), key_rows(fixture));
  if (form.tied_head == TiedHead::stored && is_tied(fixture))
    add_tied_head(fixture, model, tensors);
  if (form.buffers == Buffers::stored)
    for (const StoredTensor& buffer : buffers_of(fixture)) tensors.push_back(buffer);
  if (form.names == BaseNames::without_prefix)
    for (StoredTensor& tensor : tensors) tensor.name = without_prefix(tensor.name);
  return tensors;
}

/// config.json with the type of the weights.
Json config_of(const FamilyFixture& fixture, const FolderForm& form) {
  constexpr const char* kNames[] = {"float32", "float16", "bfloat16"};
  const char* type = kNames[static_cast<int>(form.type)];
  if (form.layout == ConfigLayout::transformers_5) {
    Json config = fixture.config;
    config["dtype"] = type;
    return config;
  }
  Json config = fixture.config_4;
  config["torch_dtype"] = type;
  return config;
}

}  // namespace

void write_family_folder(const FamilyFixture& fixture, const MadeModel& model,
                         const std::string& folder, const FolderForm& form) {
  write_bytes(folder + "/config.json", config_of(fixture, form).dump(2) + "\n");
  const std::vector<StoredTensor> tensors = stored_tensors(fixture, model, form);
  if (form.shards > 1) return write_shards(folder, tensors, form);
  write_weights(folder + "/model.safetensors", tensors, form.type);
}

}  // namespace speclab::testing
