#pragma once
#include "engines/interface/training.h"
#include "engines/ngrams/ngram_counts.h"
#include "engines/ngrams/ngram_model.h"

namespace speclab::engines {

/// Interpolated modified Kneser-Ney probabilities, of which a context keeps the most likely; the weight of what is shorter
/// is such that, but for rounding, the probabilities after every context still sum to 1.
///
/// @param texts  of tokens within the vocabulary, at least one of them to count
/// @throws ConfigError if an option is out of range, or more than 2^24 contexts would be kept
/// @source Chen and Goodman 1999, Sections 3 and 6
NgramModel estimate_ngrams(std::span<const NgramText> texts, std::int32_t vocab_size, const NgramOptions& options);

/// The same, left as interpolated: of every n-gram that was counted, in the order of its level. What the model stores is
/// compared with it.
/// @return [order][n-grams]; 0 behind the beginning of a text
std::vector<std::vector<float>> interpolated_probabilities(const std::vector<NgramLevel>& levels, std::int32_t vocab_size);

/// @throws ConfigError naming the first option that is out of range
void check_ngrams(const NgramOptions& options);

}  // namespace speclab::engines
