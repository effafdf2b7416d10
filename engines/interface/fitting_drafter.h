#pragma once
// Drafters that fit a target, by what is known of both without their weights.

#include <algorithm>
#include <optional>
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/tokenizer.h"
#include "sim/system/errors.h"

namespace speclab::engines {

/// A tokenizer and the model whose it is, for messages.
struct NamedTokenizer {
  const Tokenizer& tokenizer;
  std::string model;
};

/// The first id that means another text in the other model. Ids without text, which pad the rows of
/// a model, may differ.
inline std::optional<Token> first_other_token(const Tokenizer& drafter, const Tokenizer& target) {
  const Token size = std::min(drafter.vocab_size(), target.vocab_size());
  for (Token id = 0; id < size; ++id) {
    const std::string drafted = drafter.token_text(id), wanted = target.token_text(id);
    if (!drafted.empty() && !wanted.empty() && drafted != wanted) return id;
  }
  return std::nullopt;
}

/// @throws ConfigError naming both tokenizers and the first id that differs
inline void check_same_vocabulary(const NamedTokenizer& drafter, const NamedTokenizer& target) {
  const std::optional<Token> id = first_other_token(drafter.tokenizer, target.tokenizer);
  if (!id) return;
  throw ConfigError("the drafter's vocabulary is not the target's: id " + std::to_string(*id) +
                    " is '" + escaped(drafter.tokenizer.token_text(*id), 40) +
                    "' in the tokenizer of " + escaped(drafter.model, 100) + " and '" +
                    escaped(target.tokenizer.token_text(*id), 40) + "' in the tokenizer of " +
                    escaped(target.model, 100) +
                    "; allowed: ids that mean the same text; choose a drafter with the target's "
                    "tokenizer; only a small_transformer alone, without beams, crosses to another");
}

/// @param drafter  its name
/// @param found    tokens of its vocabulary
/// @throws ConfigError if the target has another number of them
inline void check_vocabulary(const std::string& drafter, std::int32_t found,
                             const ModelInfo& target) {
  if (found != target.vocab_size)
    throw ConfigError("drafter '" + escaped(drafter) + "' has a vocabulary of " +
                      std::to_string(found) + " tokens; " + target.name + " has " +
                      std::to_string(target.vocab_size) +
                      "; choose a drafter trained for this target: the project's own, taken if no "
                      "drafter model is given, fit smollm2-135m alone");
}

/// The model's vocabulary, and whose hidden states it reads if it reads any.
/// @throws ConfigError if one of them is not the target's
inline void check_base_model(const std::string& drafter, const ModelInfo& model,
                             const ModelInfo& target) {
  check_vocabulary(drafter, model.vocab_size, target);
  if (model.feature_size != 0 && model.feature_size != target.hidden_size &&
      model.feature_size != target.state_size())
    throw ConfigError("drafter '" + escaped(drafter) + "' reads hidden states of " +
                      std::to_string(model.feature_size) + " values; " + target.name + " has " +
                      std::to_string(target.hidden_size) +
                      "; choose a drafter trained for this target");
  if (!model.base_sha256.empty() && model.base_sha256 != target.sha256)
    throw ConfigError("drafter '" + escaped(drafter) +
                      "' was trained on the states of a model of SHA-256 " +
                      escaped(model.base_sha256, 64) + "; " + target.name + " has " +
                      target.sha256 + "; choose a drafter trained for this target");
}

}  // namespace speclab::engines
