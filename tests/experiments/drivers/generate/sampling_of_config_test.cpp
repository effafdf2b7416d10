// Every key of GenerationConfig that sampling reads changes the law as its definition says; the
// laws are worked out by hand.

#include "experiments/drivers/generate/generation_config.h"

#include <gtest/gtest.h>

#include <set>

#include "engines/sampling/logits_pipeline.h"

namespace speclab::experiments {
namespace {

using Probabilities = std::vector<double>;

/// -ln of them, in units of ln 2: 1, 2, 3, 4, 4. The entropy is 1.875 ln 2.
const Probabilities kLaw{0.5, 0.25, 0.125, 0.0625, 0.0625};

struct KeyCase {
  const char *key, *value;  ///< the value as JSON
  std::vector<Token> history;
  Probabilities expected;     ///< scaled so that they sum to 1
  const char* beside = "{}";  ///< other keys
};

void PrintTo(const KeyCase& one, std::ostream* out) { *out << one.key << " " << one.value; }

const KeyCase kCases[] = {
    {"temperature", "0.5", {0}, {16, 4, 1, 0.25, 0.25}},
    {"top_k", "2", {0}, {2, 1, 0, 0, 0}},
    {"top_p", "0.7", {0}, {2, 1, 0, 0, 0}},
    {"min_p", "0.2", {0}, {4, 2, 1, 0, 0}},
    // Distances from the entropy: token 1 (0.125), 0 (0.875), 2 (1.125), 3 and 4 (2.125).
    {"typical_p", "0.2", {0}, {0, 1, 0, 0, 0}},
    {"typical_p", "0.6", {0}, {2, 1, 0, 0, 0}},
    {"epsilon_cutoff", "0.1", {0}, {4, 2, 1, 0, 0}},
    // sqrt(0.3) exp(-entropy) = 0.149 is below 0.3.
    {"eta_cutoff", "0.3", {0}, {2, 1, 0, 0, 0}},
    {"repetition_penalty", "2.0", {0}, {4, 4, 2, 1, 1}},
    {"no_repeat_ngram_size", "2", {0, 1, 0}, {8, 0, 2, 1, 1}},
    {"min_length", "3", {1, 2}, {0, 4, 2, 1, 1}, R"({"eos_token_id":0})"},
    {"min_new_tokens", "2", {1, 2}, {0, 4, 2, 1, 1}, R"({"eos_token_id":0})"},
    {"suppress_tokens", "[0,2]", {0}, {0, 4, 0, 1, 1}},
    {"begin_suppress_tokens", "[1]", {0}, {8, 0, 2, 1, 1}},
    {"bad_words_ids", "[[3,1],[2]]", {0, 3}, {8, 0, 0, 1, 1}},
    {"sequence_bias", "[[[3,1],0.6931471805599453]]", {0, 3}, {4, 4, 1, 0.5, 0.5}},
    {"forced_bos_token_id", "3", {0}, {0, 0, 0, 1, 0}},
    {"forced_eos_token_id", "4", {0, 1, 1, 1}, {0, 0, 0, 0, 1}},
    // Behind one new token, of which 0 do not count, the end's score -ln 2 gains |-ln 2| (2 - 1).
    {"exponential_decay_length_penalty",
     "[0,2.0]",
     {1, 2},
     {16, 4, 2, 1, 1},
     R"({"eos_token_id":0})"}};

class SamplingKey : public ::testing::TestWithParam<KeyCase> {};
/// The key, and its place among the cases of the key from the second on.
std::string name_of_case(const ::testing::TestParamInfo<KeyCase>& named) {
  const auto before = std::count_if(kCases, kCases + named.index, [&](const KeyCase& one) {
    return std::string_view(one.key) == named.param.key;
  });
  return named.param.key + (before == 0 ? "" : "_" + std::to_string(before + 1));
}
INSTANTIATE_TEST_SUITE_P(, SamplingKey, ::testing::ValuesIn(kCases), name_of_case);

GenerationConfig config_of(const KeyCase& one) {
  GenerationSources sources;
  const KeyValue beside = KeyValue::parse(one.beside);
  for (const auto& [name, value] : beside.items())
    add_given_value(sources.command_line, *find_generation_key(name), value);
  add_given_value(sources.command_line, *find_generation_key("do_sample"), true);
  add_given_value(sources.command_line, *find_generation_key("top_k"), 0);
  add_given_value(sources.command_line, *find_generation_key(one.key), KeyValue::parse(one.value));
  return GenerationConfig(sources);
}

/// Defect: a key is read and does nothing, or does another key's work.
TEST_P(SamplingKey, ChangesTheLawAsDefined) {
  const KeyCase& one = GetParam();
  engines::SamplingOptions sampling = sampling_of(config_of(one));
  sampling.rules.set_lengths(1, 4);
  std::vector<double> logits;
  for (const double p : kLaw) logits.push_back(std::log(p));
  BasicLaw<double> law;
  engines::BasicLogitsPipeline<double>(sampling).law(logits, one.history, law);
  const double sum = std::accumulate(one.expected.begin(), one.expected.end(), 0.0);
  for (std::size_t i = 0; i < kLaw.size(); ++i)
    EXPECT_NEAR(law[static_cast<Token>(i)], one.expected[i] / sum, 1e-12) << i;
}

/// Defect: a key that decides laws is added without a case above.
TEST(SamplingKeys, HaveACaseEach) {
  // They change beams alone, or what is drawn from broken logits.
  const std::set<std::string> kElsewhere{"diversity_penalty", "length_penalty",
                                         "renormalize_logits", "remove_invalid_values"};
  std::set<std::string> tested;
  for (const KeyCase& one : kCases) tested.insert(one.key);
  for (const GenerationKey& key : generation_keys())
    EXPECT_TRUE(key.group != KeyGroup::decoding || kElsewhere.contains(key.name) ||
                tested.contains(key.name))
        << key.name;
}

/// Defect: NaN reaches the softmax although the key says what it counts as.
TEST(SamplingKeys, RemoveInvalidValues) {
  engines::SamplingOptions sampling =
      sampling_of(config_of({"remove_invalid_values", "true", {}, {}}));
  BasicLaw<double> law;
  engines::BasicLogitsPipeline<double>(sampling).law(std::vector{std::nan(""), 0.0, std::log(2.0)},
                                                     std::vector<Token>{0}, law);
  EXPECT_NEAR(law[0], 0.25, 1e-12);
  EXPECT_NEAR(law[2], 0.5, 1e-12);
}

}  // namespace
}  // namespace speclab::experiments
