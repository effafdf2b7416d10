// The GGUF file of a fixture with one key or tensor changed. The files as they are load in the
// tests of parity.

#include "engines/families/gguf_keys.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engines/families/family.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/family_files.h"

namespace speclab::engines {
namespace {

using speclab::testing::FamilyFixture;
using speclab::testing::read_family;
using speclab::testing::TemporaryFolder;
using Json = nlohmann::json;

/// Types of GGUF's values.
constexpr int kUint32 = 4, kInt32 = 5, kFloat32 = 6, kBool = 7, kString = 8, kArray = 9;

/// The file with the key's value in place of its own, or without the key where the value is null.
void put(FamilyFixture& fixture, const std::string& key, int type, Json value, int of = 0) {
  std::erase_if(fixture.gguf_metadata, [&](const Json& entry) { return entry.at("key") == key; });
  if (value.is_null()) return;
  fixture.gguf_metadata.push_back({{"key", key}, {"type", type}, {"value", std::move(value)}});
  if (type == kArray) fixture.gguf_metadata.back()["of"] = of;
}

DecoderShape read_shape(const FamilyFixture& fixture) {
  const TemporaryFolder folder;
  const std::string path = folder.path("model.gguf");
  speclab::testing::write_family_gguf(fixture, fixture.target, path);
  return shape_from_gguf(GgufFile::open(path));
}

DecoderShape read_with(const char* name, const char* key, int type, Json value, int of = 0) {
  FamilyFixture fixture = read_family(name);
  put(fixture, key, type, std::move(value), of);
  return read_shape(fixture);
}

void expect_refusal(const FamilyFixture& fixture, const std::vector<std::string>& parts) {
  try {
    read_shape(fixture);
    ADD_FAILURE() << fixture.name << " accepted with " << parts.front();
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
  }
}

struct KeyChange {
  const char* fixture;
  const char* key;
  int type;
  Json value;
  const char* allowed;
  int of = 0;
};

void expect_keys_refused(const std::vector<KeyChange>& changes) {
  for (const KeyChange& change : changes) {
    FamilyFixture fixture = read_family(change.fixture);
    put(fixture, change.key, change.type, change.value, change.of);
    expect_refusal(fixture, {change.key, std::string("allowed: ") + change.allowed, "model.gguf"});
  }
}

/// Defect: keys that change every logit are passed over, because no family reads them.
TEST(GgufKeys, ThatNobodyReadsAreRefused) {
  expect_keys_refused({
      {"llama", "llama.attention.causal", kBool, false, "true"},
      {"llama", "llama.attention.clamp_kqv", kFloat32, 0.5, "0"},
      {"llama", "llama.attention.max_alibi_bias", kFloat32, 8.0, "0"},
      {"llama", "llama.attention.scale", kFloat32, 0.5, "0"},
      {"llama", "llama.logit_scale", kFloat32, 0.5, "0 or 1"},
      {"llama", "llama.attn_logit_softcapping", kFloat32, 5.0, "0"},
      {"gemma3", "gemma3.attn_logit_softcapping", kFloat32, 5.0, "0"},
      {"llama", "llama.rope.dimension_sections", kArray, {4, 2, 2, 0}, "only keys", kInt32},
      {"llama", "llama.nextn_predict_layers", kUint32, 1, "0"},
      {"llama", "llama.use_parallel_residual", kBool, true, "false"},
      {"gpt2", "gpt2.attention.sliding_window", kUint32, 8, "0"},
      {"llama", "llama.of_the_future", kString, "yes", "only keys"},
      {"qwen3_moe", "qwen3moe.expert_gating_func", kUint32, 2, "0 or 1, softmax"},
      {"qwen3_moe", "qwen3moe.expert_weights_scale", kFloat32, 2.5, "0 or 1"},
  });
}

/// Defect: a file of another kind, or one that contradicts itself, is run as a model.
TEST(GgufKeys, ThatContradictTheModelAreRefused) {
  expect_keys_refused({
      {"llama", "general.type", kString, "adapter", "a whole language model; merge"},
      {"llama", "general.type", kString, "mmproj", "a whole language model; give the GGUF file"},
      {"llama", "general.architecture", kString, "clip", "a whole language model; give the GGUF"},
      {"granite", "granite.rope.scaling.finetuned", kBool, false, "true in granite"},
      {"llama", "llama.attention.layer_norm_rms_epsilon", kFloat32, nullptr, "present"},
      {"llama", "llama.attention.layer_norm_epsilon", kFloat32, 0.5, "1e-05"},
      {"gemma2", "gemma2.rope.freq_base_swa", kFloat32, 777.0, "10000"},
      {"llama", "llama.attention.head_count", kArray, {4, 2}, "the same for every layer", kUint32},
      {"gemma3",
       "gemma3.attention.sliding_window_pattern",
       kArray,
       {true, false},
       "one for each of 7 layers",
       kBool},
  });
}

/// Defect: scaling of positions is taken for none, or without the numbers that belong to it.
TEST(GgufKeys, OfScalingThatCannotBeAppliedAreRefused) {
  expect_keys_refused({
      {"llama", "llama.rope.scaling.type", kString, "longrope", "longrope with the tensors"},
      {"llama", "llama.rope.scaling.attn_factor", kFloat32, 2.0, "1 but with yarn"},
      {"llama_yarn", "llama.rope.scaling.attn_factor", kFloat32, -2.0, "a number above 0"},
      {"llama_yarn", "llama.rope.scaling.yarn_ext_factor", kFloat32, 0.5, "1"},
      {"llama_yarn", "llama.rope.scaling.yarn_attn_factor", kFloat32, 3.0, "1 or 1.13863"},
      {"llama_yarn", "llama.rope.scaling.yarn_log_multiplier", kFloat32, 0.5, "0"},
      {"llama_linear", "llama.rope.scaling.type", kString, "none",
       "linear or yarn with a factor of 2"},
      {"llama_linear", "llama.rope.scale_linear", kFloat32, 3.0, "2, as"},
      {"llama_linear", "llama.rope.scaling.yarn_beta_fast", kFloat32, 8.0, "only keys"},
  });
}

/// Defect: the near factors alone are skipped as a tensor without influence.
TEST(GgufKeys, OfNearFactorsNeedTheFarOnes) {
  FamilyFixture fixture = read_family("llama");
  fixture.gguf_tensors.push_back({.name = "rope_factors_short.weight",
                                  .shape = {8},
                                  .from = {},
                                  .values = std::vector<float>(8, 2.0f)});
  expect_refusal(fixture, {"rope_factors_short.weight", "rope_factors_long.weight"});
}

/// Defect: a sound file is refused, because a key of it is not needed.
TEST(GgufKeys, WithoutInfluenceAreAccepted) {
  EXPECT_NO_THROW(read_with("llama", "llama.attention.causal", kBool, true));
  EXPECT_NO_THROW(read_with("llama", "llama.pooling_type", kUint32, 3));
  EXPECT_NO_THROW(read_with("llama", "llama.tensor_data_layout", kString, "Meta AI original pth"));
  EXPECT_NO_THROW(read_with("llama", "llama.rope.scaling.finetuned", kBool, true));
  EXPECT_NO_THROW(read_with("llama", "general.type", kString, "model"));
  EXPECT_NO_THROW(read_with("llama", "qwen2.attention.causal", kBool, false)) << "another's key";
  EXPECT_NO_THROW(read_with("stablelm", "stablelm.use_parallel_residual", kBool, true));
}

/// Defect: numbers that the shape has a place for are not put there.
TEST(GgufKeys, OfYarnAreApplied) {
  const auto yarn = [](const char* key, float value) {
    return read_with("llama_yarn", key, kFloat32, value).rotary_scaling;
  };
  EXPECT_EQ(yarn("llama.rope.scaling.yarn_beta_fast", 8).fast, 8);
  EXPECT_EQ(yarn("llama.rope.scaling.yarn_beta_slow", 3).slow, 3);
  const double usual = 0.1 * std::log(4.0) + 1;
  EXPECT_NEAR(yarn("llama.rope.scaling.attn_factor", 2).attention_factor, 2 * usual, 1e-12);
  EXPECT_EQ(yarn("llama.rope.scaling.yarn_attn_factor", 1).attention_factor, 0) << "the usual one";
}

TEST(GgufKeys, OfExpertsAndLayersAreApplied) {
  EXPECT_TRUE(read_with("mixtral", "llama.expert_gating_func", kUint32, 1).normalised_experts);
  EXPECT_FALSE(read_with("mixtral", "llama.expert_weights_norm", kBool, false).normalised_experts);
  EXPECT_EQ(read_with("llama", "llama.attention.head_count", kArray, {4, 4}, kUint32).num_heads, 4);
  EXPECT_EQ(
      read_with("llama", "llama.feed_forward_length", kArray, {96, 96}, kUint32).intermediate_size,
      96);
}

/// Defect: Gemma 2 sees all positions where its file does not say 4096, or another pattern is
/// taken for its own.
TEST(GgufKeys, OfGemmasWindowsAreApplied) {
  using Windows = std::vector<std::int32_t>;
  EXPECT_EQ(read_with("gemma2", "gemma2.attention.sliding_window", kUint32, nullptr).windows,
            (Windows{4096, 0, 4096}));
  const char* pattern = "gemma2.attention.sliding_window_pattern";
  EXPECT_EQ(read_with("gemma2", pattern, kUint32, 3).windows, (Windows{8, 8, 0}));
  EXPECT_EQ(read_with("gemma2", pattern, kArray, {false, true, false}, kBool).windows,
            (Windows{0, 8, 0}));
}

}  // namespace
}  // namespace speclab::engines
