#include "engines/drafters/prompt_matches.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/next_tokens.h"
#include "sim/system/errors.h"

namespace speclab::engines {

std::size_t CopyRecord::place_of(std::size_t suffix) {
  SPECLAB_EXPECT(suffix >= 1, "a copy behind no suffix");
  return std::min(suffix, kBefore.size()) - 1;
}

void CopyRecord::add(std::size_t suffix, bool came_true) {
  Count& count = counts_[place_of(suffix)];
  ++count.copies;
  count.came_true += came_true ? 1 : 0;
}

double CopyRecord::expected(std::size_t suffix) const {
  const Count& count = counts_[place_of(suffix)];
  return (kWeightBefore * kBefore[place_of(suffix)] + count.came_true) /
         (kWeightBefore + count.copies);
}

PromptMatches::PromptMatches(const DrafterOptions& options)
    : max_ngram_(static_cast<std::size_t>(options.longest_ngram())),
      min_ngram_(static_cast<std::size_t>(options.least_ngram())) {
  if (options.least_ngram() < 1 || options.longest_ngram() < options.least_ngram())
    throw ConfigError(
        fmt::format("min_ngram = {}, max_ngram = {}; allowed: 1 <= min_ngram <= max_ngram",
                    options.least_ngram(), options.longest_ngram()));
}

void PromptMatches::begin(std::size_t batch) {
  texts_.resize(batch, Text{SuffixAutomaton(max_ngram_)});
}

std::span<const Token> PromptMatches::continuation(const Sequence& sequence) {
  const auto index = static_cast<std::size_t>(sequence.index);
  if (index >= texts_.size()) begin(index + 1);
  follow(texts_[index], sequence);
  const SuffixAutomaton::Match& match = texts_[index].known.match();
  return std::span(sequence.tokens)
      .subspan(match.length < min_ngram_ ? sequence.tokens.size() : match.end);
}

double PromptMatches::expected(const Sequence& sequence, std::size_t depth) const {
  const Text& text = texts_[static_cast<std::size_t>(sequence.index)];
  return text.copies.expected(text.known.match().length + depth);
}

void PromptMatches::follow(Text& text, const Sequence& sequence) {
  const std::vector<Token>&known = text.known.tokens(), &tokens = sequence.tokens;
  const bool continues =
      known.size() <= tokens.size() && std::equal(known.begin(), known.end(), tokens.begin());
  if (!continues) {
    text.known.clear();
    text.copies = {};
  }
  for (std::size_t i = known.size(); i < tokens.size(); ++i) {
    const SuffixAutomaton::Match& match = text.known.match();
    if (match.length > 0 && i >= static_cast<std::size_t>(sequence.prompt_length))
      text.copies.add(match.length, tokens[match.end] == tokens[i]);
    text.known.push_back(tokens[i]);
  }
}

const Token* copied_after(std::span<const Token> copied, const DraftPlace& place) {
  const auto depth = static_cast<std::size_t>(place.tree[place.node].depth);
  if (depth >= copied.size()) return nullptr;
  for (TokenTree::Node node = place.node; node > 0; node = place.tree[node].parent)
    if (place.tree[node].token != copied[static_cast<std::size_t>(place.tree[node].depth) - 1])
      return nullptr;
  return &copied[depth];
}

}  // namespace speclab::engines
