#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/interface/text_rules.h"
#include "sim/core/setting.h"
#include "sim/core/token.h"

namespace speclab::engines {

namespace cpu {
class ThreadTeam;
}

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
  std::shared_ptr<cpu::ThreadTeam> team{};  ///< shares the passes over a large vocabulary and
                                            ///< changes no bit of a law; null: the caller alone

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
  /// Puts these into `setting`, as far as it has them.
  Setting in(Setting setting) const {
    setting.temperature = temperature, setting.top_k = top_k, setting.top_p = top_p;
    setting.min_p = min_p, setting.repetition_penalty = repetition_penalty;
    return setting;
  }
};

}  // namespace speclab::engines
