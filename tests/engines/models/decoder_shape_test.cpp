#include "engines/models/decoder_shape.h"

#include <gtest/gtest.h>

#include "engines/families/family.h"
#include "engines/formats/gguf_file.h"
#include "sim/system/errors.h"
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

DecoderShape read_config(const std::string& content) {
  const TemporaryFolder folder;
  return shape_from_json(folder.file("config.json", content));
}

DecoderShape read_json(const std::string& more) {
  return read_config(R"({"model_type": "llama", "vocab_size": 9, "max_position_embeddings": 64,)"
                     R"( "num_hidden_layers": 1, "hidden_size": 32, "intermediate_size": 32,)"
                     R"( "num_attention_heads": 1)" +
                     more + "}");
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

/// Defect: an impossible or unknown value of GGUF's metadata is taken for a sound one.
TEST(DecoderShape, RefusesGgufMetadataThatNoDecoderHas) {
  const std::tuple<std::string, std::string, std::string> variants[] = {
      {text("llama.rope.scaling.type", "ntk"), "llama.rope.scaling.type",
       "'ntk'; allowed: none, linear, yarn"},
      {real("llama.rope.scaling.factor", 0.5f), "llama.rope.scaling.factor", "at least 1"},
      {number("llama.rope.dimension_count", 33), "llama.rope.dimension_count", "1 to 32"},
      {number("llama.rope.dimension_count", 15), "rotating values of a head", "even"},
      {number("llama.attention.value_length", 16), "llama.attention.value_length", "32"},
      {number("llama.expert_count", 8), "llama.expert_used_count", "missing"},
      {number("llama.expert_count", 5000), "llama.expert_count", "0 to 4096"}};
  for (const auto& [entry, key, found] : variants) {
    GgufBytes file = small_llama();
    file.metadata.push_back(entry);
    expect_refusal([&] { read_gguf(file); }, {key, found, "model.gguf"});
  }
}

/// Defect: a sound file of an unknown family is called damaged, or does not learn what is known.
TEST(DecoderShape, NamesTheFamiliesThatItKnows) {
  GgufBytes file = small_llama();
  file.metadata.front() = text("general.architecture", "mamba");
  try {
    read_gguf(file);
    ADD_FAILURE() << "accepted mamba";
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    for (const char* part : {"'mamba'", "qwen3moe", "gptneox", "choose a model"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find("undamaged"), std::string::npos) << message;
  }
  expect_refusal([] { read_config(R"({"model_type": "t5"})"); },
                 {"model_type", "'t5'", "qwen3_moe", "gpt_neox", "config.json"});
}

/// Defect: values of config.json that no reader of the family expects are ignored.
TEST(DecoderShape, RefusesJsonValuesThatItWouldDecodeWrongly) {
  const std::pair<std::string, std::string> variants[] = {
      {R"(, "rope_scaling": {"rope_type": "mrope", "factor": 8.0})", "mrope"},
      {R"(, "rope_scaling": {"factor": 2.0})", "rope_scaling.factor"},
      {R"(, "rope_scaling": {"type": "linear", "factor": 0.5})", "at least 1"},
      {R"(, "rope_parameters": {"rope_type": "yarn"})", "factor"},
      {R"(, "rope_parameters": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,)"
       R"( "high_freq_factor": 4})",
       "low_freq_factor"},
      {R"(, "rope_parameters": {"rope_type": "longrope", "factor": 8, "short_factor": [1]})",
       "short_factor"},
      {R"(, "hidden_act": "mish")", "gelu_pytorch_tanh"}};
  for (const auto& [more, part] : variants)
    expect_refusal([&] { read_json(more); }, {part, "allowed", "config.json"});
}

/// Defect: windows and experts that contradict the number of layers or experts are taken.
TEST(DecoderShape, RefusesImpossibleWindowsAndExperts) {
  const std::string sizes =
      R"(, "vocab_size": 9, "max_position_embeddings": 64, "num_hidden_layers": 1,)"
      R"( "hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 1)";
  const std::tuple<const char*, const char*, const char*> variants[] = {
      {"gemma2", R"(, "layer_types": ["chunked_attention"])", "sliding_attention"},
      {"gemma2", R"(, "layer_types": [])", "num_hidden_layers = 1"},
      {"gemma2", R"(, "query_pre_attn_scalar": 0)", "query_pre_attn_scalar"},
      {"mixtral", R"(, "num_local_experts": 4, "num_experts_per_tok": 5)", "num_experts_per_tok"},
      {"mixtral", R"(, "num_local_experts": 0, "num_experts_per_tok": 1)", "num_local_experts"},
      {"mixtral", R"(, "num_local_experts": 99999, "num_experts_per_tok": 1)", "[1, 4096]"},
      {"qwen3_moe",
       R"(, "num_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 8,)"
       R"( "mlp_only_layers": [1])",
       "mlp_only_layers"},
      {"granite", R"(, "logits_scaling": 0)", "logits_scaling"}};
  for (const auto& [family, more, part] : variants)
    expect_refusal(
        [&] {
          read_config(R"({"model_type": ")" + std::string(family) + "\"" + sizes + more + "}");
        },
        {part, "allowed", "config.json"});
}

const std::string kSizes =
    R"(, "vocab_size": 9, "max_position_embeddings": 64, "num_hidden_layers": 2,)"
    R"( "hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 1)";

DecoderShape read_family_config(const std::string& family, const std::string& more) {
  return read_config(R"({"model_type": ")" + family + "\"" + kSizes + more + "}");
}

/// Defect: a key that is missing is taken for one that is null, or an index from 0 for a size.
TEST(DecoderShape, ReadsWindowsAsTransformersDoes) {
  using Windows = std::vector<std::int32_t>;
  EXPECT_EQ(read_family_config("mistral", "").windows, (Windows{4096, 4096}));
  EXPECT_EQ(read_family_config("mistral", R"(, "sliding_window": null)").windows, Windows{});
  EXPECT_EQ(read_family_config("phi3", "").windows, Windows{});
  EXPECT_EQ(read_family_config("qwen2", R"(, "max_window_layers": 0)").windows, Windows{});
  EXPECT_EQ(read_family_config("qwen2", R"(, "max_window_layers": 1, "use_sliding_window": true,)"
                                        R"( "sliding_window": 7)")
                .windows,
            (Windows{0, 7}));
  expect_refusal(
      [] { read_family_config("gemma3_text", R"(, "use_bidirectional_attention": true)"); },
      {"use_bidirectional_attention", "allowed: false"});
}

/// Defect: a context is refused that a model has, or granted where its positions mean nothing.
TEST(DecoderShape, StretchesTheContextAsTheScalingDoes) {
  const auto context = [](const std::string& scaling) {
    return read_family_config("llama", R"(, "rope_scaling": )" + scaling).context_length;
  };
  EXPECT_EQ(context(R"({"type": "linear", "factor": 4})"), 64);
  EXPECT_EQ(context(R"({"type": "dynamic", "factor": 4})"), 256);
  EXPECT_EQ(context(R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 64})"),
            256);
  const std::string sixteen = "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]";
  EXPECT_EQ(
      context(R"({"type": "longrope", "factor": 2, "short_factor": )" + sixteen +
              R"(, "long_factor": )" + sixteen + R"(, "original_max_position_embeddings": 32})"),
      32);
  const DecoderShape twice =
      read_family_config("llama", R"(, "rope_scaling": {"type": "dynamic", "factor": 4},)"
                                  R"( "rope_parameters": {"rope_type": "dynamic", "factor": 4})");
  EXPECT_EQ(twice.rotary_scaling.original_context, 64) << "read once";
}

/// Defect: numbers whose logarithm is 0 or undefined give logits that are no numbers.
TEST(DecoderShape, RefusesScalingsThatGiveNoAngles) {
  const std::pair<const char*, const char*> scalings[] = {
      {R"("rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 4})", "rope_theta"},
      {R"("rope_scaling": {"type": "yarn", "factor": 4, "beta_slow": 0})", "beta_slow"},
      {R"("rope_scaling": {"type": "llama3", "factor": 4, "low_freq_factor": -1,)"
       R"( "high_freq_factor": 4, "original_max_position_embeddings": 32})",
       "low_freq_factor"}};
  for (const auto& [scaling, part] : scalings)
    expect_refusal([&] { read_family_config("llama", std::string(", ") + scaling); },
                   {part, "allowed"});
}

TEST(DecoderShape, ReadsADraftVocabularyOfATiedHead) {
  const DecoderShape config =
      read_json(R"(, "tie_word_embeddings": true, "draft_vocabulary": [0, 3, 8])");
  EXPECT_EQ(config.draft_vocabulary, (std::vector<Token>{0, 3, 8}));
  EXPECT_EQ(config.num_logits(), 3);
  DecoderShape whole = config;
  whole.draft_vocabulary.clear();
  EXPECT_EQ(config.num_parameters(), whole.num_parameters()) << "the table is there all the same";
  EXPECT_EQ(parameters_read(config), parameters_read(whole) - 6 * config.hidden_size);
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
