// A config.json of a fixture with one field changed, so that it says two things or something that
// no reader heeds. The fixtures as they are load in the tests of parity.

#include "engines/families/family.h"
#include "engines/families/json_shape.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/family_fixtures.h"

namespace speclab::engines {
namespace {

using speclab::testing::FamilyFixture;
using speclab::testing::read_family;
using speclab::testing::TemporaryFolder;
using Json = nlohmann::json;

enum class Written { by_4, by_5 };

struct Change {
  const char* fixture;
  Written written;
  const char* patch;  ///< RFC 7396: null removes a key
  const char* says = "";
};

DecoderShape read_changed(const Change& change) {
  const FamilyFixture fixture = read_family(change.fixture);
  Json config = change.written == Written::by_4 ? fixture.config_4 : fixture.config;
  config.merge_patch(Json::parse(change.patch));
  const TemporaryFolder folder;
  return shape_from_json(folder.file("config.json", config.dump()));
}

void expect_config_refused(const std::vector<Change>& changes) {
  for (const Change& change : changes) try {
      read_changed(change);
      ADD_FAILURE() << change.fixture << " accepted with " << change.patch;
    } catch (const ModelFileError& error) {
      const std::string message = error.what();
      for (const char* part : {change.says, "config.json", "allowed"})
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
    }
}

/// Defect: one of two tables or bases is taken, and the other, which transformers takes, is not.
TEST(JsonContradictions, OfRotaryTablesAndBases) {
  expect_config_refused({
      {"llama", Written::by_4,
       R"({"rope_scaling": {"rope_type": "linear", "factor": 4},
           "rope_parameters": {"rope_type": "default"}})",
       "rope_parameters = another scaling"},
      {"llama", Written::by_5, R"({"rope_theta": 5e5})", "rope_theta = 500000.0; allowed: 10000"},
      {"llama", Written::by_4, R"({"rope_scaling": {"rope_theta": 5e5}})", "rope_theta = 10000.0"},
      {"gpt_neox", Written::by_4, R"({"rotary_pct": 1.0})", "partial_rotary_factor = 0.25"},
      {"gpt_neox", Written::by_4, R"({"rotary_emb_base": null, "rope_theta": 5e5})",
       "rope_theta = 500000.0; allowed: 10000"},
      {"stablelm", Written::by_4, R"({"rope_pct": 0.5})", "rope_pct = 0.5; allowed: 0.25"},
      {"llama", Written::by_4,
       R"({"rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}})",
       "as rope_type says"},
      {"phi3_longrope", Written::by_4,
       R"({"rope_scaling": {"original_max_position_embeddings": 64}})",
       "original_max_position_embeddings = 64; allowed: 128"},
  });
}

/// Defect: a part of a head, or a table for a kind of layer, is ignored where no layer heeds it.
TEST(JsonContradictions, OfRotaryFieldsThatTheFamilyDoesNotHave) {
  expect_config_refused({
      {"llama", Written::by_4, R"({"partial_rotary_factor": 0.5})", "whole heads turn"},
      {"phi3", Written::by_4, R"({"partial_rotary_factor": 1.5})", "at most 1"},
      {"phi3", Written::by_4, R"({"partial_rotary_factor": 0.2})", "rotating values of a head"},
      {"llama", Written::by_5,
       R"({"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 4}}})",
       "rope_parameters.full_attention"},
      {"phi3_longrope", Written::by_4, R"({"rope_scaling": {"type": "yarn"}})", "in phi3"},
  });
}

/// Defect: Gemma 3's layers with a window turn by another table than the file's.
TEST(JsonContradictions, OfTheTwoTablesOfGemma3) {
  expect_config_refused({
      {"gemma3", Written::by_5,
       R"({"rope_parameters": {"sliding_attention": {"rope_type": "linear", "factor": 8}}})",
       "windows are not scaled"},
      {"gemma3", Written::by_5,
       R"({"rope_parameters": {"sliding_attention": {"partial_rotary_factor": 0.5}}})",
       "partial_rotary_factor = 0.5"},
      {"gemma3", Written::by_5, R"({"rope_parameters": {"sliding_attention": null}})",
       "no 'sliding_attention'"},
      {"gemma3", Written::by_5, R"({"rope_parameters": {"full_attention": null}})",
       "no 'full_attention'"},
      {"gemma3", Written::by_5, R"({"rope_local_base_freq": 777})", "rope_local_base_freq = 777"},
      {"gemma3", Written::by_5, R"({"rope_parameters": {"linear_attention": {}}})",
       "rope_parameters.linear_attention"},
  });
}

/// Defect: a missing number gets a default that no model was trained with.
TEST(JsonContradictions, OfMissingAndUnknownScalingNumbers) {
  const auto without = [](const char* fixture, const char* patch, const char* key) {
    return Change{fixture, Written::by_4, patch, key};
  };
  expect_config_refused({
      without("llama_3", R"({"rope_scaling": {"original_max_position_embeddings": null}})",
              "no 'original_max_position_embeddings'"),
      without("llama_3", R"({"rope_scaling": {"low_freq_factor": null}})", "no 'low_freq_factor'"),
      without("llama_3", R"({"rope_scaling": {"high_freq_factor": null}})",
              "no 'high_freq_factor'"),
      without("phi3_longrope", R"({"rope_scaling": {"long_factor": null}})", "no 'long_factor'"),
      without("phi3_longrope", R"({"rope_scaling": {"short_factor": null}})", "no 'short_factor'"),
      without("phi3_longrope", R"({"original_max_position_embeddings": null})",
              "no 'original_max_position_embeddings'"),
      without("phi3_longrope", R"({"rope_scaling": {"long_factor": [1.0]}})", "1 numbers"),
      without("llama", R"({"rope_scaling": {"rope_typ": "linear", "facto": 4}})",
              "rope_scaling.facto"),
      without("llama", R"({"rope_scaling": {"rope_type": "default", "mrope_section": [2, 3, 3]}})",
              "rope_scaling.mrope_section"),
  });
}

/// Defect: cosines and sines are multiplied by what no model can mean.
TEST(JsonContradictions, OfImpossibleScalingNumbers) {
  expect_config_refused({
      {"llama_yarn", Written::by_4, R"({"rope_scaling": {"attention_factor": -1.0}})",
       "attention_factor = -1.0"},
      {"llama_yarn", Written::by_4, R"({"rope_scaling": {"attention_factor": 1e30}})",
       "at most 100"},
      {"llama_yarn", Written::by_4, R"({"rope_scaling": {"mscale": -0.7, "mscale_all_dim": 1}})",
       "mscale = -0.7"},
      {"llama_yarn", Written::by_4, R"({"rope_scaling": {"factor": 1e300}})", "at least 1"},
  });
}

/// Defect: layer_types decide where transformers heeds sliding_window alone.
TEST(JsonContradictions, OfWindowsAndLayerTypes) {
  const char* full = R"({"sliding_window": 4, "use_sliding_window": true,
                         "layer_types": ["full_attention", "full_attention"]})";
  const char* sliding = R"({"layer_types": ["sliding_attention", "sliding_attention"]})";
  expect_config_refused({
      {"phi3", Written::by_4, full, "layer_types[0]"},
      {"mixtral", Written::by_4, full, "layer_types[0]"},
      {"qwen3_moe", Written::by_4, full, "layer_types[0]"},
      {"mistral_window", Written::by_4,
       R"({"layer_types": ["sliding_attention", "full_attention"]})", "layer_types[1]"},
      {"llama", Written::by_4, sliding, "the layer has no window"},
      {"olmo2", Written::by_4, sliding, "the layer has no window"},
      {"qwen2", Written::by_4, sliding, "the layer has no window"},
  });
}

/// Defect: of a size with two names the one is taken that transformers does not take.
TEST(JsonContradictions, OfSizesWithTwoNames) {
  expect_config_refused({
      {"qwen3_moe", Written::by_4, R"({"num_local_experts": 2})", "num_local_experts = 2"},
      {"mixtral", Written::by_4, R"({"num_experts": 2})", "num_experts = 2"},
      {"gpt2", Written::by_4, R"({"hidden_size": 32})", "hidden_size = 32; allowed: 64"},
      {"gpt2", Written::by_4, R"({"num_hidden_layers": 1})", "num_hidden_layers = 1"},
      {"gpt2", Written::by_4, R"({"max_position_embeddings": 64})", "n_positions = 128"},
      {"llama", Written::by_4, R"({"n_head": 2})", "n_head = 2; allowed: 4"},
      {"gpt_neox", Written::by_4, R"({"num_key_value_heads": 1})", "num_key_value_heads = 1"},
  });
}

/// Defect: weights of a classifier, or of a model that reads both ways, are run as a decoder.
TEST(JsonContradictions, OfModelsThatDoNotCompleteText) {
  expect_config_refused({
      {"llama", Written::by_4, R"({"architectures": ["LlamaForSequenceClassification"]})",
       "ForCausalLM"},
      {"llama", Written::by_4, R"({"architectures": ["LlamaForTokenClassification"]})",
       "architectures[0]"},
      {"llama", Written::by_4, R"({"is_encoder_decoder": true})", "is_encoder_decoder = true"},
      {"llama", Written::by_4, R"({"is_causal": false})", "is_causal = false; allowed: true"},
      {"gemma2", Written::by_5, R"({"use_bidirectional_attention": true})",
       "use_bidirectional_attention"},
  });
}

/// Defect: files are refused that say the same twice, as many of the hub do.
TEST(JsonContradictions, AreNoneWhereBothSayTheSame) {
  const Change changes[] = {
      {"llama", Written::by_4,
       R"({"rope_parameters": {"rope_type": "default", "rope_theta": 10000}})"},
      {"llama", Written::by_4, R"({"partial_rotary_factor": 1, "layer_types": null})"},
      {"llama", Written::by_4, R"({"rope_scaling": {}, "architectures": ["LlamaModel"]})"},
      {"llama_linear", Written::by_4,
       R"({"rope_scaling": {"type": "linear", "finetuned": true,
                            "original_max_position_embeddings": 32}})"},
      {"llama_yarn", Written::by_4, R"({"rope_scaling": {"type": "yarn", "mscale": 0.7}})"},
      {"gpt2", Written::by_4, R"({"hidden_size": 64, "n_ctx": 99, "num_attention_heads": 4})"},
      {"mistral_window", Written::by_4,
       R"({"layer_types": ["sliding_attention", "sliding_attention"]})"},
      {"gemma3", Written::by_5, R"({"rope_local_base_freq": 10000})"},
  };
  for (const Change& change : changes)
    EXPECT_NO_THROW(read_changed(change)) << change.fixture << " " << change.patch;
}

/// Defect: a base beside the tables is not the one that layers without their own base have.
TEST(JsonContradictions, LeaveEachFamilyItsOwnNames) {
  const DecoderShape half = read_changed(
      {"gpt_neox", Written::by_4, R"({"partial_rotary_factor": null, "rotary_pct": 0.5})"});
  EXPECT_EQ(half.rotary_size(), 8);
  const DecoderShape dynamic =
      read_changed({"llama_dynamic", Written::by_4,
                    R"({"rope_scaling": {"original_max_position_embeddings": 8}})"});
  EXPECT_EQ(dynamic.rotary_scaling.original_context, 32) << "max_position_embeddings";
}

}  // namespace
}  // namespace speclab::engines
