#include "engines/ngrams/ngram_estimation.h"

#include <algorithm>
#include <array>

#include "engines/ngrams/ngram_model.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Positions = std::vector<std::uint32_t>;
using Context = std::array<Token, NgramModel::kMaxOrder - 1>;  ///< the latest token first

/// All texts in one list, before each of them order - 1 times "nothing", which is vocab_size.
struct Corpus {
  std::vector<Token> tokens;
  Positions counted;  ///< indices of the counted tokens
};

Corpus joined(std::span<const NgramText> texts, std::int32_t vocab_size, std::int32_t order) {
  Corpus corpus;
  for (const NgramText& text : texts) {
    corpus.tokens.insert(corpus.tokens.end(), static_cast<std::size_t>(order) - 1, vocab_size);
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
      SPECLAB_EXPECT(text.tokens[i] >= 0 && text.tokens[i] < vocab_size,
                     "a token to count outside the vocabulary");
      if (i >= text.first)
        corpus.counted.push_back(static_cast<std::uint32_t>(corpus.tokens.size()));
      corpus.tokens.push_back(text.tokens[i]);
    }
  }
  SPECLAB_EXPECT(corpus.tokens.size() < 0xFFFFFFFFu, "more tokens to count than 32 bits hold");
  return corpus;
}

/// Stable sort of the positions by the token `back` places before each.
void sort_by(const Corpus& corpus, std::size_t back, std::int32_t vocab_size, Positions& positions,
             Positions& scratch) {
  std::vector<std::uint32_t> place(static_cast<std::size_t>(vocab_size) + 2);
  for (const std::uint32_t at : positions)
    ++place[static_cast<std::size_t>(corpus.tokens[at - back]) + 1];
  for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  scratch.resize(positions.size());
  for (const std::uint32_t at : positions)
    scratch[place[static_cast<std::size_t>(corpus.tokens[at - back])]++] = at;
  positions.swap(scratch);
}

/// By the token before each position, then the one before that, and so on; last by the token at the
/// position.
Positions sorted_positions(const Corpus& corpus, std::int32_t vocab_size, std::int32_t order) {
  Positions positions = corpus.counted, scratch;
  sort_by(corpus, 0, vocab_size, positions, scratch);
  for (auto back = static_cast<std::size_t>(order); --back > 0;)
    sort_by(corpus, back, vocab_size, positions, scratch);
  return positions;
}

class Counter {
 public:
  Counter(Corpus corpus, std::int32_t order)
      : corpus_(std::move(corpus)), levels_(static_cast<std::size_t>(order)) {}

  void count_highest(const Positions& positions) {
    const std::size_t length = levels_.size() - 1;
    NgramLevel& level = levels_.back();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      prefetch(positions, i);
      const Context context = context_at(positions[i], length);
      const bool new_context = i == 0 || context != contexts_.back();
      if (new_context) open_context(level, context, length);
      const Token token = corpus_.tokens[positions[i]];
      if (new_context || level.token.back() != token) add(level, token);
      ++level.count.back();
      ++level.occurrences.back();
    }
    close(level);
  }

  /// The n-grams of order `n` from those one longer. Contexts that differ in their oldest token
  /// alone are neighbours there.
  void count_shorter(std::size_t n) {
    NgramLevel& longer = levels_[n];
    const std::vector<Context> contexts = std::move(contexts_);
    contexts_.clear();
    longer.shorter.resize(longer.token.size());
    for (std::size_t c = 0; c < longer.context_token.size();) {
      std::size_t end = c + 1;
      while (end < contexts.size() &&
             std::equal(contexts[c].begin(), contexts[c].begin() + n - 1, contexts[end].begin()))
        ++end;
      open_context(levels_[n - 1], contexts[c], n - 1);
      longer.parent.resize(end,
                           static_cast<std::uint32_t>(levels_[n - 1].context_token.size()) - 1);
      merge(longer, {longer.begin[c], longer.begin[end]}, levels_[n - 1]);
      c = end;
    }
    close(levels_[n - 1]);
  }

  std::vector<NgramLevel> take() { return std::move(levels_); }

 private:
  struct Range {
    std::uint32_t begin, end;
  };

  /// Neighbours in the sorted list are far apart in the texts.
  void prefetch(const Positions& positions, std::size_t i) const {
    constexpr std::size_t kAhead = 24;
    if (i + kAhead < positions.size())
      __builtin_prefetch(corpus_.tokens.data() + positions[i + kAhead]);
  }

  Context context_at(std::uint32_t position, std::size_t length) const {
    Context context{};
    for (std::size_t i = 0; i < length; ++i) context[i] = corpus_.tokens[position - 1 - i];
    return context;
  }

  void open_context(NgramLevel& level, const Context& context, std::size_t length) {
    level.context_token.push_back(length == 0 ? 0 : context[length - 1]);
    level.begin.push_back(static_cast<std::uint32_t>(level.token.size()));
    contexts_.push_back(context);
  }

  static void add(NgramLevel& level, Token token) {
    level.token.push_back(token);
    level.count.push_back(0);
    level.occurrences.push_back(0);
  }

  static void close(NgramLevel& level) {
    level.begin.push_back(static_cast<std::uint32_t>(level.token.size()));
  }

  /// One n-gram for every successor among `ngrams`.
  void merge(NgramLevel& longer, Range ngrams, NgramLevel& level) {
    order_.clear();
    for (std::uint32_t i = ngrams.begin; i < ngrams.end; ++i)
      order_.push_back(static_cast<std::uint64_t>(longer.token[i]) << 32 | i);
    std::sort(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto ngram = static_cast<std::uint32_t>(order_[i]);
      if (i == 0 || order_[i] >> 32 != order_[i - 1] >> 32) add(level, longer.token[ngram]);
      ++level.count.back();
      level.occurrences.back() += longer.occurrences[ngram];
      longer.shorter[ngram] = static_cast<std::uint32_t>(level.token.size()) - 1;
    }
  }

  Corpus corpus_;
  std::vector<NgramLevel> levels_;
  std::vector<Context> contexts_;     ///< of the level counted last
  std::vector<std::uint64_t> order_;  ///< successor and n-gram
};

}  // namespace

std::vector<NgramLevel> count_ngrams(std::span<const NgramText> texts, std::int32_t vocab_size,
                                     std::int32_t order) {
  Corpus corpus = joined(texts, vocab_size, order);
  const Positions positions = sorted_positions(corpus, vocab_size, order);
  SPECLAB_EXPECT(!positions.empty(), "no token to count");
  Counter counter(std::move(corpus), order);
  counter.count_highest(positions);
  for (auto n = static_cast<std::size_t>(order); --n > 0;) counter.count_shorter(n);
  return counter.take();
}

}  // namespace speclab::engines
