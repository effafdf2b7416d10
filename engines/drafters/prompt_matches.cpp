#include "engines/drafters/prompt_matches.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/next_tokens.h"
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

const Token* copied_after(std::span<const Token> copied, const DraftPlace& place) {
  const auto depth = static_cast<std::size_t>(place.tree[place.node].depth);
  if (depth >= copied.size()) return nullptr;
  for (TokenTree::Node node = place.node; node > 0; node = place.tree[node].parent)
    if (place.tree[node].token != copied[static_cast<std::size_t>(place.tree[node].depth) - 1]) return nullptr;
  return &copied[depth];
}

double checked_lookup_weight(const DrafterOptions& options) {
  if (!(options.lookup_weight > 0 && options.lookup_weight <= 1)) throw ConfigError(fmt::format("lookup_weight = {}; allowed: numbers above 0, at most 1", options.lookup_weight));
  return options.lookup_weight;
}

}  // namespace speclab::engines
