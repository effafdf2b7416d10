#include "engines/drafters/prompt_matches.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/errors.h"

namespace speclab::engines {

PromptMatches::PromptMatches(const DrafterOptions& options)
    : max_ngram_(static_cast<std::size_t>(options.max_ngram)), min_ngram_(static_cast<std::size_t>(options.least_ngram())) {
  if (options.least_ngram() < 1 || options.max_ngram < options.least_ngram())
    throw ConfigError(fmt::format("min_ngram = {}, max_ngram = {}; allowed: 1 <= min_ngram <= max_ngram", options.least_ngram(), options.max_ngram));
}

void PromptMatches::begin(std::size_t batch) { automata_.resize(batch, SuffixAutomaton(max_ngram_)); }

std::span<const Token> PromptMatches::continuation(const Sequence& sequence) {
  const auto index = static_cast<std::size_t>(sequence.index);
  if (index >= automata_.size()) begin(index + 1);
  follow(automata_[index], sequence.tokens);
  const SuffixAutomaton::Match& match = automata_[index].match();
  return std::span(sequence.tokens).subspan(match.length < min_ngram_ ? sequence.tokens.size() : match.end);
}

void PromptMatches::follow(SuffixAutomaton& automaton, const std::vector<Token>& tokens) const {
  const std::vector<Token>& known = automaton.tokens();
  const bool continues = known.size() <= tokens.size() && std::equal(known.begin(), known.end(), tokens.begin());
  if (!continues) automaton.clear();
  for (std::size_t i = known.size(); i < tokens.size(); ++i) automaton.push_back(tokens[i]);
}

}  // namespace speclab::engines
