#include "engines/tokenizers/same_vocabulary.h"

#include <algorithm>

#include "sim/core/errors.h"

namespace speclab::engines {

void check_same_vocabulary(const NamedTokenizer& drafter, const NamedTokenizer& target) {
  const Token size = std::min(drafter.tokenizer.vocab_size(), target.tokenizer.vocab_size());
  for (Token id = 0; id < size; ++id) {
    const std::string drafted = drafter.tokenizer.token_text(id);
    const std::string wanted = target.tokenizer.token_text(id);
    if (drafted.empty() || wanted.empty() || drafted == wanted) continue;
    throw ConfigError("the drafter's vocabulary is not the target's: id " + std::to_string(id) +
                      " is '" + escaped(drafted, 40) + "' in the tokenizer of " +
                      escaped(drafter.model, 100) + " and '" + escaped(wanted, 40) +
                      "' in the tokenizer of " + escaped(target.model, 100) +
                      "; allowed: ids that mean the same text; choose a drafter with the "
                      "target's tokenizer");
  }
}

}  // namespace speclab::engines
