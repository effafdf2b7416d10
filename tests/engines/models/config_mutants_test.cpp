// Damaged config.json files of targets and drafters: an error of the right type and form, or the
// values that an independent slow reader finds.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <utility>

#include "engines/families/family.h"
#include "engines/families/feature_transformer.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/mlp_speculator_config.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/slow_json.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

struct Values {
  std::map<std::string, std::int64_t> numbers;  ///< by key
  std::map<std::string, std::string> texts;
  std::vector<Token> draft_vocabulary;
};

struct ConfigFormat {
  const char* name;
  Values (*read)(const std::string& path);
  std::vector<std::string> seeds;
  std::map<std::string, std::string>
      optional;  ///< keys that may be missing, and what is read where they are: a text, or the
                 ///< value of another key
};

void PrintTo(const ConfigFormat& format, std::ostream* out) { *out << format.name; }

Values values_of(const DecoderShape& shape) {
  return {{{"vocab_size", shape.vocab_size},
           {"max_position_embeddings", shape.context_length},
           {"num_hidden_layers", shape.num_layers},
           {"hidden_size", shape.hidden_size},
           {"intermediate_size", shape.intermediate_size},
           {"num_attention_heads", shape.num_heads},
           {"num_key_value_heads", shape.num_kv_heads}},
          {},
          shape.draft_vocabulary};
}

Values read_llama(const std::string& path) { return values_of(shape_from_json(path)); }

/// Experts, windows and scaling beside Llama's keys.
Values read_qwen3_moe(const std::string& path) {
  const DecoderShape shape = shape_from_json(path);
  Values values = values_of(shape);
  values.numbers["num_experts"] = shape.num_experts;
  values.numbers["num_experts_per_tok"] = shape.experts_per_token;
  values.numbers["moe_intermediate_size"] = shape.expert_size;
  return values;
}

Values read_gpt2(const std::string& path) {
  const DecoderShape shape = shape_from_json(path);
  return {{{"vocab_size", shape.vocab_size},
           {"n_positions", shape.context_length},
           {"n_layer", shape.num_layers},
           {"n_embd", shape.hidden_size},
           {"n_head", shape.num_heads}},
          {},
          shape.draft_vocabulary};
}

Values read_feature_transformer(const std::string& path) {
  const FeatureTransformerConfig config = read_feature_transformer_config(path);
  Values values = values_of(config.shape);
  values.numbers["feature_size"] = config.shape.feature_size;
  values.texts = {{"target", config.target}, {"target_sha256", config.target_sha256}};
  return values;
}

Values read_mlp_speculator(const std::string& path) {
  const MlpSpeculatorConfig config = read_mlp_speculator_config(path);
  return {{{"vocab_size", config.vocab_size},
           {"emb_dim", config.base_hidden_size},
           {"inner_dim", config.inner_size},
           {"n_predict", config.num_heads}},
          {{"target", config.target}, {"target_sha256", config.target_sha256}},
          config.draft_vocabulary};
}

std::vector<ConfigFormat> config_formats() {
  const std::string shape =
      R"("vocab_size":96,"max_position_embeddings":64,"num_hidden_layers":1,"hidden_size":32,)"
      R"("intermediate_size":48,"num_attention_heads":2,"num_key_value_heads":1)";
  const std::string
      llama = R"({"model_type":"llama",)" + shape,
      feature = R"({"model_type":"feature_transformer",)" + shape,
      mlp = R"({"model_type":"mlp_speculator","vocab_size":96,"emb_dim":32,"inner_dim":48,)"
            R"("n_predict":3)";
  return {
      {"Llama",
       read_llama,
       {llama + "}",
        llama +
            R"(,"head_dim":16,"rope_theta":1e5,"rms_norm_eps":1e-5,"tie_word_embeddings":true})",
        llama + R"(, "rope_parameters" : {"rope_type":"default","rope_theta":500000},)"
                R"( "architectures":["\u004clamaForCausalLM"], "hidden_act":"silu" })",
        llama + R"(,"tie_word_embeddings":true,"draft_vocabulary":[0,1,7,95]})"},
       {{"num_key_value_heads", "num_attention_heads"}}},
      {"Qwen3Moe",
       read_qwen3_moe,
       {R"({"model_type":"qwen3_moe",)" + shape +
            R"(,"head_dim":16,"num_experts":6,"num_experts_per_tok":2,"moe_intermediate_size":24})",
        R"({"model_type":"qwen3_moe",)" + shape +
            R"(,"num_experts":4,"num_experts_per_tok":4,"moe_intermediate_size":8,"head_dim":32,)"
            R"("mlp_only_layers":[0],"use_sliding_window":true,"sliding_window":8,)"
            R"("layer_types":["sliding_attention"],"rope_scaling":{"type":"linear","factor":4}})"},
       {{"num_key_value_heads", "num_attention_heads"}}},
      {"Gpt2",
       read_gpt2,
       {R"({"model_type":"gpt2","vocab_size":96,"n_positions":64,"n_layer":1,"n_embd":32,)"
        R"("n_head":2,"n_inner":48})",
        R"({"model_type":"gpt2","activation_function":"gelu_new","n_ctx":64,"n_head":4,)"
        R"("layer_norm_epsilon":1e-05,"scale_attn_weights":true,"n_inner":128,"n_embd":32,)"
        R"("n_layer":2,"n_positions":64,"vocab_size":96,"tie_word_embeddings":false})",
        R"({ "architectures" : ["GPT2LMHeadModel"], "model_type" : "gpt2", "vocab_size" : 50,)"
        R"( "n_positions" : 32, "n_layer" : 3, "n_embd" : 48, "n_head" : 3, "n_inner" : null,)"
        R"( "activation_function" : "gelu", "draft_vocabulary" : [ 0, 7, 49 ] })"},
       {}},
      {"FeatureTransformer",
       read_feature_transformer,
       {feature +
            R"(,"feature_size":32,"target":"t","target_sha256":"0a","draft_vocabulary":[0,1,7,)"
            R"(95]})",
        feature + R"(, "head_dim":16, "rope_theta":1e5, "draft_vocabulary" : [ 5 ],)"
                  R"( "target_sha256":"\u0066f", "target":"a/b", "feature_size":96 })"},
       {{"num_key_value_heads", "num_attention_heads"}}},
      {"MlpSpeculator",
       read_mlp_speculator,
       {mlp + "}",
        mlp + R"(,"tie_weights":true,"scale_input":false,"target":"t","target_sha256":"0a",)"
              R"("draft_vocabulary":[0,1,7,95]})",
        mlp + R"(, "architectures":["MLPSpeculatorPreTrainedModel"], "draft_vocabulary" : [ 5,)"
              R"( 6 ], "target":"\u0061/b" })"},
       {{"target", ""}, {"target_sha256", ""}}}};
}

bool is_missing(const SlowJson* found) { return !found || found->kind == SlowJson::Kind::null; }

class ConfigMutants : public ::testing::TestWithParam<ConfigFormat> {
 protected:
  void check(const std::string& text) {
    if (HasFailure()) return;
    if (!some_.takes_next()) return;
    ++num_mutants_;
    disk_.write(text);
    try {
      const Values values = GetParam().read(disk_.path());
      ++num_loads_;
      expect_values_of(read_json_slowly(text, 64), values);
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what();
    } catch (const SlowRefusal& refusal) {
      FAIL() << "accepted against the rule '" << refusal.rule << "': " << text;
    }
    ASSERT_FALSE(HasFailure()) << text;
  }

  void expect_values_of(const SlowJson& json, const Values& values) {
    for (const auto& [key, number] : values.numbers) {
      const SlowJson* found = json.find(is_missing(json.find(key)) ? standing_in(key) : key);
      EXPECT_TRUE(found && found->natural() == number) << key << " = " << number;
    }
    for (const auto& [key, text] : values.texts)
      EXPECT_EQ(is_missing(json.find(key)) ? standing_in(key) : json.find(key)->text, text) << key;
    expect_vocabulary(json.find("draft_vocabulary"), values.draft_vocabulary);
  }

  static void expect_vocabulary(const SlowJson* list, const std::vector<Token>& tokens) {
    ASSERT_EQ(is_missing(list) ? 0 : list->items.size(), tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(list->items[i].natural(), tokens[i]);
  }

  /// What stands for a key that is missing, which only optional ones may be.
  std::string standing_in(const std::string& key) const {
    const auto found = GetParam().optional.find(key);
    EXPECT_NE(found, GetParam().optional.end()) << key << " must be there";
    return found == GetParam().optional.end() ? "" : found->second;
  }

  MemoryFile disk_;
  EveryNth some_ = some_mutants();
  int num_mutants_ = 0, num_loads_ = 0;
};

/// Where natural numbers stand, in rising order.
std::vector<IntegerField> numbers_of(const std::string& text) {
  std::vector<IntegerField> fields;
  const auto add = [&](const SlowJson& value) {
    if (value.natural()) fields.push_back({value.offset, value.text.size()});
  };
  for (const SlowJson& value : read_json_slowly(text, 64).items) {
    add(value);
    for (const SlowJson& item : value.items) add(item);
  }
  return fields;
}

TEST_P(ConfigMutants, GiveATypedErrorOrTheValuesOfTheSlowReader) {
  for (const std::string& seed : GetParam().seeds) {
    num_loads_ = 0;
    some_ = some_mutants();
    check(seed);
    ASSERT_EQ(num_loads_, 1) << seed;
    const auto visit = [&](const std::string& text) { check(text); };
    visit_cuts_and_flips(seed, seed.size(), visit);
    visit_fields(seed, numbers_of(seed), replace_in_text, visit);
    visit_pairs(seed, numbers_of(seed), replace_in_text, visit);
    for (std::size_t at = 0; at < seed.size(); ++at)
      for (const char byte :
           std::string("{}[],:\"\\0123456789-e. \n\tfnrtu/\x01\x7f\x80\xc3\xe2\xff") + '\0') {
        std::string mutant = seed;
        if (std::exchange(mutant[at], byte) != byte) check(mutant);
      }
    EXPECT_GT(num_loads_, share_of(30)) << "other values are configs too: 49 of the shortest seed";
  }
  std::printf("%s: %d mutants of config.json\n", GetParam().name, num_mutants_);
  EXPECT_GE(num_mutants_, share_of(20000));
}

INSTANTIATE_TEST_SUITE_P(, ConfigMutants, ::testing::ValuesIn(config_formats()),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace
}  // namespace speclab::engines
