// Damaged config.json files: an error of the right type and form, or the values that an independent slow reader finds.

#include <gtest/gtest.h>

#include <cstdio>

#include "engines/models/llama/llama_config.h"
#include "sim/core/errors.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/slow_json.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

const std::string kShape = R"({"model_type":"llama","vocab_size":96,"max_position_embeddings":64,"num_hidden_layers":1,"hidden_size":32,"intermediate_size":48,)"
                           R"("num_attention_heads":2,"num_key_value_heads":1)";

std::vector<std::string> seeds() {
  return {kShape + "}", kShape + R"(,"head_dim":16,"rope_theta":1e5,"rms_norm_eps":1e-5,"tie_word_embeddings":true})",
          kShape + R"(, "rope_parameters" : {"rope_type":"default","rope_theta":500000}, "architectures":["\u004clamaForCausalLM"], "hidden_act":"silu" })"};
}

struct Named {
  const char* key;
  std::int32_t LlamaConfig::*value;
};
constexpr Named kNumbers[] = {{"vocab_size", &LlamaConfig::vocab_size},       {"max_position_embeddings", &LlamaConfig::context_length},
                              {"num_hidden_layers", &LlamaConfig::num_layers}, {"hidden_size", &LlamaConfig::hidden_size},
                              {"intermediate_size", &LlamaConfig::intermediate_size}, {"num_attention_heads", &LlamaConfig::num_heads},
                              {"num_key_value_heads", &LlamaConfig::num_kv_heads}};

void expect_numbers_of(const SlowJson& json, const LlamaConfig& config) {
  for (const Named& number : kNumbers) {
    const SlowJson* found = json.find(number.key);
    const bool missing = !found || found->kind == SlowJson::Kind::null;
    if (missing) {
      ASSERT_STREQ(number.key, "num_key_value_heads") << "all others must be there";
    } else {
      ASSERT_EQ(found->natural(), config.*number.value) << number.key;
    }
  }
}

class LlamaConfigMutants : public ::testing::Test {
 protected:
  void check(const std::string& text) {
    ++num_mutants_;
    disk_.write(text);
    try {
      const LlamaConfig config = llama_config_from_json(disk_.path());
      ++num_loads_;
      expect_numbers_of(read_json_slowly(text, 64), config);
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what() << "\n" << text;
    } catch (const SlowRefusal& refusal) {
      FAIL() << "accepted against the rule '" << refusal.rule << "': " << text;
    }
  }

  MemoryFile disk_;
  int num_mutants_ = 0, num_loads_ = 0;
};

std::vector<IntegerField> numbers_of(const std::string& text) {
  std::vector<IntegerField> fields;
  const SlowJson json = read_json_slowly(text, 64);
  for (const Named& number : kNumbers) fields.push_back({json.find(number.key)->offset, json.find(number.key)->text.size()});
  return fields;
}

TEST_F(LlamaConfigMutants, GiveATypedErrorOrTheValuesOfTheSlowReader) {
  for (const std::string& seed : seeds()) {
    check(seed);
    ASSERT_EQ(num_loads_, 1) << seed;
    const auto visit = [&](const std::string& text) { check(text); };
    visit_cuts_and_flips(seed, seed.size(), visit);
    visit_fields(seed, numbers_of(seed), replace_in_text, visit);
    visit_pairs(seed, numbers_of(seed), replace_in_text, visit);
    for (std::size_t at = 0; at < seed.size(); ++at)
      for (const char byte : std::string("{}[],:\"\\0 9-e.\n\x7f\x80\xff") + '\0') {
        std::string mutant = seed;
        mutant[at] = byte;
        check(mutant);
      }
    EXPECT_GT(num_loads_, 50) << "other values are configs too";
    num_loads_ = 0;
  }
  std::printf("config.json files: %d mutants\n", num_mutants_);
  EXPECT_GE(num_mutants_, 20000);
}

}  // namespace
}  // namespace speclab::engines
