// Beams, contrastive search and the rules on scores give the ids and scores of transformers 4.49
// on tiny models of 14 architectures: tests/golden/generation.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engines/decoding/plain_decoder.h"
#include "engines/search/beam_search.h"
#include "engines/search/contrastive_search.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/families/family_models.h"

namespace speclab::engines {
namespace {

using nlohmann::json;

/// transformers computes scores in float32, in another order.
constexpr double kScoreTolerance = 5e-5;

std::map<std::string, std::vector<json>> cases_by_family() {
  std::ifstream file(SPECLAB_SOURCE_DIR "/tests/golden/generation/cases.jsonl");
  std::map<std::string, std::vector<json>> cases;
  for (std::string line; std::getline(file, line);) {
    json one = json::parse(line);
    cases[one["family"]].push_back(std::move(one));
  }
  return cases;
}

std::vector<Token> ids_or_none(const json& value) {
  if (value.is_null()) return {};
  if (value.is_array()) return value.get<std::vector<Token>>();
  return {value.get<Token>()};
}

void read_rules(const json& options, SamplingOptions& sampling) {
  sampling.temperature = 0;
  sampling.repetition_penalty = options.value("repetition_penalty", 1.0);
  sampling.no_repeat_ngram_size = options.value("no_repeat_ngram_size", 0);
  sampling.min_length = options.value("min_length", 0);
  sampling.suppress_tokens = options.value("suppress_tokens", std::vector<Token>{});
  sampling.eos_token_ids = ids_or_none(options["eos_token_id"]);
  TextRules& rules = sampling.rules;
  for (const json& bias : options.value("sequence_bias", json::array()))
    rules.sequence_bias.push_back({bias[0], bias[1]});
  rules.sequence_bias = last_biases(rules.sequence_bias);
  rules.bad_words_ids = options.value("bad_words_ids", std::vector<std::vector<Token>>{});
  rules.min_new_tokens = options.value("min_new_tokens", 0);
  if (options.contains("forced_eos_token_id"))
    rules.forced_eos_token_ids = ids_or_none(options["forced_eos_token_id"]);
  if (options.contains("exponential_decay_length_penalty"))
    rules.exponential_decay_length_penalty = {options["exponential_decay_length_penalty"][0],
                                              options["exponential_decay_length_penalty"][1]};
  rules.begin_suppress_tokens = options.value("begin_suppress_tokens", std::vector<Token>{});
  rules.renormalize_logits = options.value("renormalize_logits", false);
}

EarlyStopping early_stopping(const json& value) {
  if (value == "never") return EarlyStopping::never;
  return value == true ? EarlyStopping::yes : EarlyStopping::no;
}

DecoderOptions search_options(const json& options) {
  DecoderOptions decoder{.search = SearchOptions{}};
  SearchOptions& search = *decoder.search;
  search.num_beams = options.value("num_beams", 1);
  search.num_beam_groups = options.value("num_beam_groups", 1);
  search.diversity_penalty = options.value("diversity_penalty", 0.0);
  search.length_penalty = options.value("length_penalty", 1.0);
  search.early_stopping = early_stopping(options.value("early_stopping", json(false)));
  search.num_return_sequences = options.value("num_return_sequences", 1);
  search.penalty_alpha = options.value("penalty_alpha", 0.0);
  search.top_k = options.value("top_k", 50);
  for (const json& word : options.value("force_words_ids", json::array()))
    search.force_words_ids.push_back(word[0].is_array() ? word : json::array({word}));
  read_rules(options, decoder.sampling);
  decoder.stop.max_new_tokens = options["max_new_tokens"];
  decoder.stop.eos_token_ids = ids_or_none(options["eos_token_id"]);
  return decoder;
}

std::vector<FoundSequence> greedy(LanguageModel& model, const DecoderOptions& search,
                                  const Request& request) {
  DecoderOptions options{.sampling = search.sampling, .stop = search.stop};
  options.sampling.rules.set_lengths(request.prompt_ids.size(), search.stop.max_new_tokens);
  PlainDecoder decoder(model, nullptr, options);
  decoder.begin({request}, ConstantPolicy(0));
  while (decoder.round()) {
  }
  return {{.ids = decoder.records().front().output_ids}};
}

std::vector<FoundSequence> found(LanguageModel& model, const json& one) {
  const DecoderOptions search = search_options(one["options"]);
  const Request request{0, one["prompt"].get<std::vector<Token>>()};
  const auto check = [] {};
  if (one["mode"] == "contrastive_search")
    return ContrastiveSearch(model, nullptr, search).run(request, check).sequences;
  if (one["mode"] == "greedy_search") return greedy(model, search, request);
  PhiloxChance chance(0);
  return BeamSearch(model, nullptr, search, chance).run(request, check).sequences;
}

void expect_equal(LanguageModel& model, const json& one) {
  const std::vector<FoundSequence> ours = found(model, one);
  ASSERT_EQ(ours.size(), one["sequences"].size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].ids, one["sequences"][i].get<std::vector<Token>>()) << "sequence " << i;
    if (one["scores"][i].is_null()) continue;
    const double theirs = one["scores"][i];
    EXPECT_NEAR(ours[i].score.value(), theirs, kScoreTolerance * std::max(1.0, std::abs(theirs)))
        << "sequence " << i;
  }
}

/// Left out by name. The head of opt_350m reads a projection of the last state. transformers
/// compares the projections, and speclab the states.
bool is_known_difference(const json& one) {
  return one["family"] == "opt_350m" && one["mode"] == "contrastive_search";
}

/// Defect: any difference from transformers in a mode, a rule or their order.
TEST(GenerationParity, IdsAndScoresAreThoseOfTransformers) {
  std::map<std::string, int> compared;
  for (const auto& [name, cases] : cases_by_family()) {
    const auto family = speclab::testing::read_family(name);
    const testing::FamilyFolder folder(family, family.target);
    const auto model = folder.on_cpu(cpu::ElementType::float32);
    for (const json& one : cases) {
      if (!one["stable"] || is_known_difference(one)) continue;
      SCOPED_TRACE(one.dump());
      expect_equal(*model, one);
      ++compared[one["mode"]];
    }
  }
  EXPECT_EQ(compared, (std::map<std::string, int>{{"beam_search", 162},
                                                  {"constrained_beam_search", 27},
                                                  {"contrastive_search", 48},
                                                  {"greedy_search", 54},
                                                  {"group_beam_search", 27}}));
}

}  // namespace
}  // namespace speclab::engines
