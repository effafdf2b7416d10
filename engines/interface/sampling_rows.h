#pragma once
// Every sampling setting once: its name, its member, the numbers that it takes, and what it does.

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "engines/interface/sampling_options.h"

namespace speclab::engines {

/// Numbers that a setting takes. A config has them within closed bounds, which leave out the ends
/// of an open interval.
struct SamplingRange {
  double low, high;
  bool has_low, has_high;  ///< the ends are taken
  double config_low, config_high;
  const char *allowed, *shown;  ///< for refusals; for --help

  bool holds(double value) const {
    return (value > low || (has_low && value == low)) &&
           (value < high || (has_high && value == high));
  }
};

namespace ranges {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr SamplingRange kCount{
    0, kInfinity, true, true, 0, kInfinity, "integers >= 0 (0 is off)", "at least 0"},
    kIds{0, kInfinity, true, true, 0, kInfinity, "token ids >= 0", "1,2,3"},
    kPositive{0, kInfinity, false, true, 1e-3, 1e3, "numbers > 0", "above 0"},
    kMass{0, 1, false, true, 1e-9, 1, "numbers in (0, 1]", "above 0, at most 1"},
    kShare{0, 1, true, true, 0, 1, "numbers in [0, 1]", "0 to 1"},
    kBelow1{0, 1, true, false, 0, 0.999999, "numbers in [0, 1)", "0 to 1, but not 1"};

}  // namespace ranges

inline constexpr bool kCutoff = true, kNoCutoff = false;

/// A setting whose default is off.
template <typename Value>
struct SamplingRow {
  const char* name;
  Value SamplingOptions::* member;
  const SamplingRange& range;
  bool is_cutoff;  ///< it restricts what is drawn, and means nothing at temperature 0
  const char* unit;
  const char *meaning, *help;  ///< a key of a config shows the one, an option the other
};

/// All settings but three: the temperature is an axis, the tokenizer knows eos_token_ids, and rules
/// belong to `speclab generate`.
inline constexpr std::tuple kSamplingRows{
    SamplingRow{"top_k", &SamplingOptions::top_k, ranges::kCount, kCutoff, "tokens",
                "number of likeliest tokens that are kept; 0 is off. This and the other cut-offs "
                "work as in Hugging Face's `generate()`; they need a temperature above 0",
                "Keep the k most likely tokens; 0 is off"},
    SamplingRow{"top_p", &SamplingOptions::top_p, ranges::kMass, kCutoff, "",
                "mass of the likeliest tokens that are kept; 1 is off",
                "Keep the smallest set of this mass; 1 is off"},
    SamplingRow{"min_p", &SamplingOptions::min_p, ranges::kShare, kCutoff, "",
                "least probability relative to the greatest; 0 is off",
                "Keep tokens at least this likely relative to the best; 0 is off"},
    SamplingRow{"repetition_penalty", &SamplingOptions::repetition_penalty, ranges::kPositive,
                kNoCutoff, "", "penalty for tokens that occurred; 1 is off",
                "Penalty on the scores of tokens seen before; 1 is off"},
    SamplingRow{"no_repeat_ngram_size", &SamplingOptions::no_repeat_ngram_size, ranges::kCount,
                kNoCutoff, "tokens", "no n-gram of this size twice; 0 is off",
                "No n-gram of this size twice; 0 is off"},
    SamplingRow{"min_length", &SamplingOptions::min_length, ranges::kCount, kNoCutoff, "tokens",
                "no end of text before it, prompt included; 0 is off",
                "No end of sequence before this length, prompt included; 0 is off"},
    SamplingRow{"suppress_tokens", &SamplingOptions::suppress_tokens, ranges::kIds, kNoCutoff, "",
                "ids that never occur", "Ids that are never generated: 1,2,3"},
    SamplingRow{"typical_p", &SamplingOptions::typical_p, ranges::kMass, kCutoff, "",
                "mass of the tokens nearest to the entropy; 1 is off",
                "Keep the most typical tokens of this mass; 1 is off"},
    SamplingRow{"epsilon_cutoff", &SamplingOptions::epsilon_cutoff, ranges::kBelow1, kCutoff, "",
                "least probability; 0 is off", "Keep tokens at least this likely; 0 is off"},
    SamplingRow{
        "eta_cutoff", &SamplingOptions::eta_cutoff, ranges::kBelow1, kCutoff, "",
        "least probability, lower where the entropy is high; 0 is off",
        "Keep tokens at least this likely, with a lower limit if the law is flat; 0 is off"},
};

/// Calls visit(row) for each of them, in the order of the table.
void for_each_sampling_row(auto visit) {
  std::apply([&](const auto&... rows) { (visit(rows), ...); }, kSamplingRows);
}

/// Calls visit(name, setting) for each of them. @param options  SamplingOptions, const or not
void visit_sampling(auto& options, auto visit) {
  for_each_sampling_row([&](const auto& row) { visit(row.name, options.*row.member); });
}

/// Calls visit(name, setting) for each setting that is not off.
void visit_sampling_that_is_on(const SamplingOptions& options, auto visit) {
  const SamplingOptions off;
  for_each_sampling_row([&](const auto& row) {
    if (options.*row.member != off.*row.member) visit(row.name, options.*row.member);
  });
}

}  // namespace speclab::engines
