#include "experiments/drivers/generation/sampling_of_config.h"

#include "engines/interface/sampling_rows.h"

namespace speclab::experiments {
namespace {

/// @param otherwise  where the key has no value
template <typename Value>
Value value_or(const GenerationConfig& config, const char* key, Value otherwise) {
  const KeyValue& value = config.value(key);
  return value.is_null() ? otherwise : value.get<Value>();
}

std::vector<engines::SequenceBias> biases_of(const KeyValue& value) {
  std::vector<engines::SequenceBias> biases;
  for (const KeyValue& pair : value) biases.push_back({tokens_of(pair[0]), pair[1].get<double>()});
  return last_biases(biases);
}

engines::TextRules rules_of(const GenerationConfig& config) {
  engines::TextRules rules;
  rules.sequence_bias = biases_of(config.value("sequence_bias"));
  rules.bad_words_ids = value_or(config, "bad_words_ids", rules.bad_words_ids);
  rules.min_new_tokens = value_or(config, "min_new_tokens", 0);
  if (const KeyValue& token = config.value("forced_bos_token_id"); !token.is_null())
    rules.forced_bos_token_id = token.get<Token>();
  rules.forced_eos_token_ids = tokens_of(config.value("forced_eos_token_id"));
  if (const KeyValue& decay = config.value("exponential_decay_length_penalty"); !decay.is_null())
    rules.exponential_decay_length_penalty = {decay[0].get<std::int32_t>(), decay[1].get<double>()};
  rules.begin_suppress_tokens = tokens_of(config.value("begin_suppress_tokens"));
  rules.remove_invalid_values = config.is_true("remove_invalid_values");
  rules.renormalize_logits = config.is_true("renormalize_logits");
  return rules;
}

}  // namespace

std::vector<Token> tokens_of(const KeyValue& value) {
  if (value.is_null()) return {};
  return value.is_array() ? value.get<std::vector<Token>>() : std::vector{value.get<Token>()};
}

engines::SamplingOptions sampling_of(const GenerationConfig& config, double greedy_temperature) {
  engines::SamplingOptions sampling{.temperature = greedy_temperature};
  const bool draws = config.is_true("do_sample");
  if (draws) sampling.temperature = config.number("temperature");
  engines::for_each_sampling_row([&](const auto& row) {
    if (draws || !row.is_cutoff)
      sampling.*row.member = value_or(config, row.name, sampling.*row.member);
  });
  if (config.is_given_by_user("eos_token_id"))
    sampling.eos_token_ids = tokens_of(config.value("eos_token_id"));
  sampling.rules = rules_of(config);
  return sampling;
}

engines::StopOptions stop_of(const GenerationConfig& config, engines::StopOptions stop) {
  stop.max_new_tokens = value_or(config, "max_new_tokens", stop.max_new_tokens);
  stop.max_seconds = value_or(config, "max_time", 0.0);
  const KeyValue& strings = config.value("stop_strings");
  stop.stop_strings.clear();
  if (strings.is_string()) stop.stop_strings = {strings.get<std::string>()};
  if (strings.is_array()) stop.stop_strings = strings.get<std::vector<std::string>>();
  // The tokenizer reads a folder's ends itself.
  if (config.is_given_by_user("eos_token_id"))
    stop.eos_token_ids = tokens_of(config.value("eos_token_id"));
  return stop;
}

}  // namespace speclab::experiments
