#include "engines/models/decoder/decoder_shape.h"

#include <gtest/gtest.h>

#include "engines/formats/gguf_file.h"
#include "sim/core/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr std::uint32_t kUint32 = 4, kFloat32 = 6, kString = 8;

std::string number(const std::string& key, std::uint32_t value) {
  return metadata_entry(key, kUint32, raw(value));
}
std::string real(const std::string& key, float value) {
  return metadata_entry(key, kFloat32, raw(value));
}
std::string text(const std::string& key, const std::string& value) {
  return metadata_entry(key, kString, raw_string(value));
}

/// A Llama of one head of width 32 and two tokens.
GgufBytes small_llama() {
  GgufBytes file;
  file.metadata = {text("general.architecture", "llama"),
                   number("llama.context_length", 64),
                   number("llama.block_count", 1),
                   number("llama.embedding_length", 32),
                   number("llama.feed_forward_length", 32),
                   number("llama.attention.head_count", 1),
                   real("llama.attention.layer_norm_rms_epsilon", 1e-5f)};
  file.tensors = {tensor_entry("token_embd.weight", {32, 2}, 0, 0)};
  file.data.resize(512, '\0');
  return file;
}

DecoderShape read_gguf(const GgufBytes& file) {
  const TemporaryFolder folder;
  return shape_from_gguf(GgufFile::open(folder.file("model.gguf", file.str())));
}

DecoderShape read_json(const std::string& more) {
  const TemporaryFolder folder;
  return shape_from_json(
      folder.file("config.json",
                  R"({"model_type": "llama", "vocab_size": 9, "max_position_embeddings": 64,
        "num_hidden_layers": 1, "hidden_size": 32,
                         "intermediate_size": 32, "num_attention_heads": 1)" +
                      more + "}"));
}

template <typename Read>
void expect_refusal(const Read& read, const std::vector<std::string>& parts) {
  try {
    read();
    ADD_FAILURE() << "accepted " << parts.front();
  } catch (const ModelFileError& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(DecoderShape, AcceptsWhatChangesNothing) {
  EXPECT_EQ(read_gguf(small_llama()).head_dim, 32);
  GgufBytes file = small_llama();
  for (const std::string& entry :
       {text("llama.rope.scaling.type", "none"), real("llama.rope.scaling.factor", 1.0f),
        number("llama.rope.dimension_count", 32), number("llama.attention.key_length", 32),
        number("llama.expert_count", 0)})
    file.metadata.push_back(entry);
  EXPECT_NO_THROW(read_gguf(file));
  EXPECT_NO_THROW(
      read_json(R"(, "rope_scaling": null, "attention_bias": false, "mlp_bias": false,)"
                R"( "hidden_act": "silu", "rope_parameters": {"rope_type": "default"})"));
}

TEST(DecoderShape, RefusesGgufVariantsThatItWouldDecodeWrongly) {
  const std::tuple<std::string, std::string, std::string> variants[] = {
      {text("llama.rope.scaling.type", "linear"), "llama.rope.scaling.type",
       "'linear'; allowed: 'none'"},
      {text("llama.rope.scaling.type", "yarn"), "llama.rope.scaling.type", "'yarn'"},
      {real("llama.rope.scaling.factor", 4.0f), "llama.rope.scaling.factor", "4; allowed: 1"},
      {real("llama.rope.scale_linear", 2.0f), "llama.rope.scale_linear", "2; allowed: 1"},
      {number("llama.rope.dimension_count", 16), "llama.rope.dimension_count", "16; allowed: 32"},
      {number("llama.attention.key_length", 64), "llama.attention.key_length", "64; allowed: 32"},
      {number("llama.expert_count", 8), "llama.expert_count", "8; allowed: 0"}};
  for (const auto& [entry, key, found] : variants) {
    GgufBytes file = small_llama();
    file.metadata.push_back(entry);
    expect_refusal([&] { read_gguf(file); }, {key, found, "model.gguf"});
  }
}

TEST(DecoderShape, RefusesTensorsThatItWouldNotUse) {
  for (const std::string name : {"rope_freqs.weight", "blk.0.attn_q.bias"}) {
    GgufBytes file = small_llama();
    file.tensors.push_back(tensor_entry(name, {32}, 0, 256));
    expect_refusal([&] { read_gguf(file); }, {name, "allowed", "model.gguf"});
  }
}

TEST(DecoderShape, RefusesJsonVariantsThatItWouldDecodeWrongly) {
  const std::pair<std::string, std::string> variants[] = {
      {R"(, "rope_scaling": {"rope_type": "llama3", "factor": 8.0})", "llama3"},
      {R"(, "rope_scaling": {"type": "linear", "factor": 2.0})", "linear"},
      {R"(, "rope_scaling": {"factor": 2.0})", "rope_scaling.factor"},
      {R"(, "rope_parameters": {"rope_type": "yarn"})", "rope_parameters.rope_type"},
      {R"(, "partial_rotary_factor": 0.5)", "partial_rotary_factor"},
      {R"(, "attention_bias": true)", "attention_bias"},
      {R"(, "mlp_bias": true)", "mlp_bias"},
      {R"(, "hidden_act": "gelu")", "\"silu\""}};
  for (const auto& [more, part] : variants)
    expect_refusal([&] { read_json(more); }, {part, "allowed", "config.json"});
}

TEST(DecoderShape, ReadsADraftVocabularyOfATiedHead) {
  const DecoderShape config =
      read_json(R"(, "tie_word_embeddings": true, "draft_vocabulary": [0, 3, 8])");
  EXPECT_EQ(config.draft_vocabulary, (std::vector<Token>{0, 3, 8}));
  EXPECT_EQ(config.num_logits(), 3);
  DecoderShape whole = config;
  whole.draft_vocabulary.clear();
  EXPECT_EQ(config.num_parameters(), whole.num_parameters()) << "the table is there all the same";
  EXPECT_EQ(config.parameters_read(), whole.parameters_read() - 6 * config.hidden_size);
}

TEST(DecoderShape, RefusesDraftVocabulariesThatNoHeadHas) {
  const std::pair<std::string, std::string> lists[] = {
      {R"(, "draft_vocabulary": [0, 3])", "tie_word_embeddings"},
      {R"(, "tie_word_embeddings": true, "draft_vocabulary": [])", "at least one"},
      {R"(, "tie_word_embeddings": true, "draft_vocabulary": [3, 3])", "rising order"},
      {R"(, "tie_word_embeddings": true, "draft_vocabulary": [9])", "[0, 8]"},
      {R"(, "tie_word_embeddings": true, "draft_vocabulary": 9)", "draft_vocabulary"}};
  for (const auto& [more, part] : lists)
    expect_refusal([&] { read_json(more); }, {part, "draft_vocabulary", "allowed", "config.json"});
}

TEST(DecoderShape, ReadsTheRotaryBaseWhereverTransformersWritesIt) {
  EXPECT_EQ(read_json("").rope_theta, 10000.0f);
  EXPECT_EQ(read_json(R"(, "rope_theta": 5e4)").rope_theta, 5e4f);
  EXPECT_EQ(
      read_json(R"(, "rope_parameters": {"rope_theta": 1e5, "rope_type": "default"})").rope_theta,
      1e5f);
}

}  // namespace
}  // namespace speclab::engines
