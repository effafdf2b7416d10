#include "engines/interface/sampling_options.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check(bool valid, const char* field, double value, const char* allowed) {
  if (!valid || !std::isfinite(value))
    throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

}  // namespace

void SamplingOptions::validate() const {
  check(temperature >= 0, "temperature", temperature, "finite numbers >= 0 (0 is greedy)");
  check(temperature == 0 || temperature >= kLeastTemperature, "temperature", temperature,
        "0 or at least 0.001");
  check(top_k >= 0, "top_k", top_k, "integers >= 0 (0 is off)");
  check(top_p > 0 && top_p <= 1, "top_p", top_p, "numbers in (0, 1]");
  check(min_p >= 0 && min_p <= 1, "min_p", min_p, "numbers in [0, 1]");
  check(repetition_penalty > 0, "repetition_penalty", repetition_penalty, "numbers > 0");
  check(no_repeat_ngram_size >= 0, "no_repeat_ngram_size", no_repeat_ngram_size,
        "integers >= 0 (0 is off)");
  check(min_length >= 0, "min_length", min_length, "integers >= 0 (0 is off)");
  check(typical_p > 0 && typical_p <= 1, "typical_p", typical_p, "numbers in (0, 1]");
  check(epsilon_cutoff >= 0 && epsilon_cutoff < 1, "epsilon_cutoff", epsilon_cutoff,
        "numbers in [0, 1)");
  check(eta_cutoff >= 0 && eta_cutoff < 1, "eta_cutoff", eta_cutoff, "numbers in [0, 1)");
  for (const std::int32_t token : suppress_tokens)
    check(token >= 0, "suppress_tokens", token, "token ids >= 0");
  for (const std::int32_t token : eos_token_ids)
    check(token >= 0, "eos_token_ids", token, "token ids >= 0");
  rules.validate();
}

void SamplingOptions::check_tokens(std::size_t vocab_size, const std::string& model) const {
  for (const auto* tokens : {&suppress_tokens, &eos_token_ids})
    for (const Token token : *tokens)
      if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
        throw ConfigError(fmt::format(
            "suppress_tokens or eos_token_ids has {}; allowed: 0 to {} ({}'s vocabulary)", token,
            vocab_size - 1, escaped(model, 200)));
  for (const Token token : rules.tokens())
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
      throw ConfigError(fmt::format(
          "sequence_bias, bad_words_ids, begin_suppress_tokens or a forced token has {}; allowed: "
          "0 to {} ({}'s vocabulary)",
          token, vocab_size - 1, escaped(model, 200)));
}

}  // namespace speclab::engines
