#include "engines/training/frequent_tokens.h"

#include <algorithm>
#include <numeric>

namespace speclab::engines {

std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                   std::int32_t count) {
  std::vector<double> weight(static_cast<std::size_t>(vocab_size), 0.0);
  for (const OwnText* text : texts) {
    for (std::size_t i = static_cast<std::size_t>(text->prompt_length); i < text->tokens.size();
         ++i)
      weight[static_cast<std::size_t>(text->tokens[i])] += 1;
    for (const TopLaw& law : text->laws)
      for (std::size_t k = 0; k < TopLaw::kSize; ++k)
        weight[static_cast<std::size_t>(law.tokens[k])] +=
            static_cast<double>(law.probabilities[k]);
  }
  std::vector<Token> tokens(static_cast<std::size_t>(vocab_size));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::stable_sort(tokens.begin(), tokens.end(), [&](Token a, Token b) {
    return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)];
  });
  tokens.resize(static_cast<std::size_t>(count));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace speclab::engines
