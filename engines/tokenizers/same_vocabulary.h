#pragma once
#include <string>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// A tokenizer and the model whose it is, for messages.
struct NamedTokenizer {
  const Tokenizer& tokenizer;
  std::string model;
};

/// Checks that an id means the same text in both models. Ids without text, which pad the rows of a
/// model, may differ.
/// @throws ConfigError naming both tokenizers and the first id that differs
void check_same_vocabulary(const NamedTokenizer& drafter, const NamedTokenizer& target);

}  // namespace speclab::engines
