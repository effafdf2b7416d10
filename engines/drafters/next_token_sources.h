#pragma once
// The next tokens of drafters that grow chains and trees.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/drafters/draft_model.h"
#include "engines/drafters/next_tokens.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/token_mask.h"
#include "engines/ngrams/ngram_model.h"
#include "sim/core/law.h"

namespace speclab::engines {

/// What a model expects, a level of the draft at a time.
std::unique_ptr<NextTokens> model_next_tokens(std::unique_ptr<DraftModel> model,
                                              const SamplingOptions& sampling);

/// Successors of the last tokens, of an n-gram model's law, which the sampling temperature
/// sharpens.
std::unique_ptr<NextTokens> ngram_next_tokens(std::shared_ptr<const NgramModel> model,
                                              const SamplingOptions& sampling);

/// The token that followed when the end of the sequence last occurred in it, for certain; nothing
/// where the draft has left the copy.
/// @param vocab_size  of the target
std::unique_ptr<NextTokens> copy_next_tokens(const DrafterOptions& options,
                                             std::int32_t vocab_size);

struct MixturePart {
  std::unique_ptr<NextTokens> next_tokens;
  double weight = 1.0;  ///< above 0, beside parts that claim no share
};

/// The mean of the laws of the parts that know a place, by weight; at temperature 0 the token that
/// the mean of their likelihoods prefers. Where only one knows it, that one speaks alone, whatever
/// its weight. A part that has no more levels falls silent. Likelihoods are compared for the tokens
/// that any part has among its likeliest.
/// @param parts  at least one, of one vocabulary
/// @source mixtures of language models: Jelinek and Mercer 1980; cache language models: Kuhn and De
/// Mori 1990
std::unique_ptr<NextTokens> mixture_next_tokens(std::vector<MixturePart> parts,
                                                const SamplingOptions& sampling);

/// Where there is a copy, a mixture of it and the model, in which the copy has a share of
/// options.lookup_weight, or the one that CopyRecord expects; elsewhere the model alone.
/// @throws ConfigError unless 0 < lookup_weight <= 1
std::unique_ptr<NextTokens> next_tokens_with_lookup(std::unique_ptr<NextTokens> model,
                                                    const DrafterOptions& options,
                                                    const SamplingOptions& sampling);

/// Nothing.
/// @param vocab_size  of the target
std::unique_ptr<NextTokens> no_next_tokens(std::int32_t vocab_size);

/// How tokens of a draft are chosen: drawn from laws, or the likeliest ones.
enum class DraftForm : std::uint8_t { drawn, likeliest };

/// The model's law behind a mask. A token that alone may follow is drafted for
/// certain, and the model is not asked. Nothing is drafted behind an end.
std::unique_ptr<NextTokens> constrained_next_tokens(std::unique_ptr<NextTokens> model,
                                                    std::shared_ptr<const TokenMask> mask,
                                                    DraftForm form);

/// Tokens that a draft may have behind new tokens. The target may refuse them before, so a drafter
/// has nothing to say where the vocabulary cannot spell the rest.
/// @return null there
const AllowedTokens* allowed_in_draft(const TokenMask& mask, std::span<const Token> new_tokens);

/// Takes the tokens out of a law that may not follow, and scales the others up to 1.
/// @param allowed  [vocab]
/// @return false if nothing is left; the law is then unspecified
bool keep_allowed_tokens(const std::vector<bool>& allowed, Law& law);

}  // namespace speclab::engines
