#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engines/interface/text_rules.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// Above 0 and below this the softmax of large logits leaves the range of float.
inline constexpr double kLeastTemperature = 1e-3;

/// Sampling settings, named and defined as in Hugging Face's generate(). One set serves plain
/// sampling, drafting and verifying.
struct SamplingOptions {
  double temperature = 1.0;         ///< 0 (all mass on the arg max), or at least kLeastTemperature
  std::int32_t top_k = 0;           ///< >= 0; 0 is off
  double top_p = 1.0;               ///< in (0, 1]; 1 is off
  double min_p = 0.0;               ///< in [0, 1]; 0 is off
  double repetition_penalty = 1.0;  ///< > 0; 1 is off
  std::int32_t no_repeat_ngram_size = 0;  ///< >= 0: no n-gram of this size stands twice; 0 is off
  std::int32_t min_length =
      0;  ///< >= 0, prompt included: a shorter text gets no token of eos_token_ids; 0 is off
  std::vector<Token> eos_token_ids{};    ///< the tokens that min_length forbids
  std::vector<Token> suppress_tokens{};  ///< tokens that never occur
  double typical_p = 1.0;                ///< in (0, 1]; 1 is off
  double epsilon_cutoff = 0.0;           ///< in [0, 1); 0 is off
  double eta_cutoff = 0.0;               ///< in [0, 1); 0 is off
  TextRules rules{};

  /// @throws ConfigError naming the first field out of range
  void validate() const;
  /// @param model  name of the vocabulary's model, for the message
  /// @throws ConfigError naming the first listed token outside the vocabulary
  void check_tokens(std::size_t vocab_size, const std::string& model) const;
  /// True if a law depends on earlier tokens in other ways than through the logits.
  bool looks_back() const {
    return repetition_penalty != 1.0 || no_repeat_ngram_size > 0 || min_length > 0 ||
           rules.looks_back();
  }
};

/// Calls visit(name, member) for each setting but three: the temperature is an axis, the tokenizer
/// knows eos_token_ids, and rules belong to `speclab generate`.
void for_each_sampling_member(auto visit) {
  visit("top_k", &SamplingOptions::top_k);
  visit("top_p", &SamplingOptions::top_p);
  visit("min_p", &SamplingOptions::min_p);
  visit("repetition_penalty", &SamplingOptions::repetition_penalty);
  visit("no_repeat_ngram_size", &SamplingOptions::no_repeat_ngram_size);
  visit("min_length", &SamplingOptions::min_length);
  visit("suppress_tokens", &SamplingOptions::suppress_tokens);
  visit("typical_p", &SamplingOptions::typical_p);
  visit("epsilon_cutoff", &SamplingOptions::epsilon_cutoff);
  visit("eta_cutoff", &SamplingOptions::eta_cutoff);
}

/// Calls visit(name, setting) for each of them. @param options  SamplingOptions, const or not
void visit_sampling(auto& options, auto visit) {
  for_each_sampling_member([&](const char* name, auto member) { visit(name, options.*member); });
}

/// Calls visit(name, setting) for each setting that is not off.
void visit_sampling_that_is_on(const SamplingOptions& options, auto visit) {
  const SamplingOptions off;
  for_each_sampling_member([&](const char* name, auto member) {
    if (options.*member != off.*member) visit(name, options.*member);
  });
}

}  // namespace speclab::engines
