#include "tests/engines/ngrams/slow_ngrams.h"

#include <algorithm>
#include <random>

namespace speclab::engines::testing {
namespace {

Tokens tail(const Tokens& tokens) { return {tokens.begin() + 1, tokens.end()}; }
Tokens head(const Tokens& tokens) { return {tokens.begin(), tokens.end() - 1}; }

}  // namespace

SlowNgrams::SlowNgrams(const std::vector<NgramText>& texts, std::int32_t vocab_size,
                       std::int32_t order)
    : vocab_size_(vocab_size), order_(static_cast<std::size_t>(order)) {
  for (const NgramText& text : texts) {
    Tokens padded(order_ - 1, vocab_size);
    padded.insert(padded.end(), text.tokens.begin(), text.tokens.end());
    for (std::size_t i = order_ - 1 + text.first; i < padded.size(); ++i)
      for (std::size_t n = 1; n <= order_; ++n) {
        const Tokens ngram(padded.begin() + static_cast<std::ptrdiff_t>(i + 1 - n),
                           padded.begin() + static_cast<std::ptrdiff_t>(i + 1));
        ++occurrences_[ngram];
        if (n > 1) before_[tail(ngram)].insert(ngram.front());
        after_[head(ngram)].insert(ngram.back());
      }
  }
}

int SlowNgrams::occurrences(const Tokens& ngram) const {
  const auto found = occurrences_.find(ngram);
  return found == occurrences_.end() ? 0 : found->second;
}

int SlowNgrams::count(const Tokens& ngram) const {
  if (ngram.size() == order_) return occurrences(ngram);
  const auto found = before_.find(ngram);
  return found == before_.end() ? 0 : static_cast<int>(found->second.size());
}

std::vector<Tokens> SlowNgrams::ngrams(std::size_t order) const {
  std::vector<Tokens> found;
  for (const auto& [ngram, times] : occurrences_)
    if (ngram.size() == order && std::ranges::count(ngram, vocab_size_) == 0)
      found.push_back(ngram);
  return found;
}

double SlowNgrams::discount(std::size_t order, int count) const {
  double num[5] = {};
  for (const Tokens& ngram : ngrams(order))
    if (this->count(ngram) <= 4) ++num[this->count(ngram)];
  if (num[1] * num[2] * num[3] * num[4] == 0) return 0.75;
  const int i = std::min(count, 3);
  return std::clamp(i - (i + 1) * num[1] / (num[1] + 2 * num[2]) * num[i + 1] / num[i], 0.05,
                    i - 0.05);
}

double SlowNgrams::probability(const Tokens& context, Token token) const {
  const auto known = after_.find(context);
  const double shorter = context.empty() ? 1.0 / vocab_size_ : probability(tail(context), token);
  if (known == after_.end()) return shorter;
  double total = 0, taken = 0, own = 0;
  for (const Token successor : known->second) {
    Tokens ngram = context;
    ngram.push_back(successor);
    const int times = count(ngram);
    total += times;
    taken += discount(ngram.size(), times);
    if (successor == token) own = times - discount(ngram.size(), times);
  }
  return (own + taken * shorter) / total;
}

std::vector<Tokens> random_texts(unsigned seed, std::int32_t vocab_size, int num_texts,
                                 int length) {
  std::mt19937 random(seed);
  std::vector<Tokens> texts(static_cast<std::size_t>(num_texts));
  for (Tokens& text : texts)
    for (int i = 0; i < length; ++i) {
      const bool follows = i > 0 && random() % 3 != 0;
      text.push_back(follows ? (3 * text.back() + static_cast<Token>(random() % 2)) % vocab_size
                             : static_cast<Token>(random() % static_cast<unsigned>(vocab_size)));
    }
  return texts;
}

std::vector<NgramText> as_ngram_texts(const std::vector<Tokens>& texts, std::size_t first) {
  std::vector<NgramText> spans;
  for (const Tokens& text : texts) spans.push_back({text, std::min(first, text.size())});
  return spans;
}

}  // namespace speclab::engines::testing
