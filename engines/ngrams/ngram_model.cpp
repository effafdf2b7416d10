#include "engines/ngrams/ngram_model.h"

#include <algorithm>

#include "engines/ngrams/small_float.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kBlock = 16;

/// The best few so far, and every token that a longer suffix lists: its probability is that suffix's.
class Selection {
 public:
  Selection(std::size_t most, std::vector<LawEntry<float>>& best) : most_(most), best_(best) { best_.clear(); }

  /// @return false if it is not among the best
  bool offer(const LawEntry<float>& candidate) {
    if (best_.size() == most_) {
      if (!is_before(candidate, best_.back())) return false;
      best_.pop_back();
    }
    auto place = best_.end();
    while (place != best_.begin() && is_before(candidate, place[-1])) --place;
    best_.insert(place, candidate);
    return true;
  }
  void list(Token token) { listed_[num_listed_++] = token; }
  bool is_listed(Token token, std::size_t among) const { return std::find(listed_, listed_ + among, token) != listed_ + among; }
  std::size_t num_listed() const { return num_listed_; }

 private:
  static bool is_before(const LawEntry<float>& a, const LawEntry<float>& b) {
    return a.probability > b.probability || (a.probability == b.probability && a.token < b.token);
  }

  std::size_t most_;
  std::vector<LawEntry<float>>& best_;
  Token listed_[NgramModel::kMaxOrder * NgramModel::kMaxSuccessors];
  std::size_t num_listed_ = 0;
};

}  // namespace

NgramModel::NgramModel(NgramArrays arrays) : arrays_(std::move(arrays)) {
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < arrays_.num_contexts(); ++c) {
    if (c % kBlock == 0) block_begin_.push_back(begin);
    begin += c == 0 ? arrays_.num_unigrams : arrays_.num_successors[c];
  }
}

NgramModel::List NgramModel::list_of(Context context) const {
  const float back_off = kBackOffScale * from_small_float(arrays_.back_off[context]);
  if (context == 0) return {0, arrays_.num_unigrams, back_off};
  std::size_t begin = block_begin_[context / kBlock];
  if (context < kBlock) begin += arrays_.num_unigrams;
  for (std::size_t c = context - context % kBlock; c < context; ++c) begin += arrays_.num_successors[c];
  return {begin, begin + arrays_.num_successors[context], back_off};
}

std::size_t NgramModel::known_suffixes(std::span<const Token> context, Context (&known)[kMaxOrder]) const {
  known[0] = 0;
  const std::size_t most = std::min(context.size() + 1, static_cast<std::size_t>(order()));
  for (std::size_t n = 1; n < most; ++n) {
    if (known[n - 1] >= arrays_.num_inner()) return n;
    const auto older = static_cast<std::uint32_t>(context[context.size() - n]);
    std::uint32_t begin = arrays_.first_child[known[n - 1]];
    const std::uint32_t end = arrays_.first_child[known[n - 1] + 1];
    for (std::uint32_t left = end - begin; left > 0;) {
      const std::uint32_t half = left / 2;
      const bool right = arrays_.context_tokens[begin + half] < older;
      begin = right ? begin + half + 1 : begin;
      left = right ? left - half - 1 : half;
    }
    if (begin == end || arrays_.context_tokens[begin] != older) return n;
    known[n] = begin;
  }
  return most;
}

void NgramModel::most_likely(std::span<const Token> context, std::vector<LawEntry<float>>& successors) const {
  Context known[kMaxOrder];
  Selection selection(static_cast<std::size_t>(max_successors()), successors);
  float weight = 1.0f;
  for (std::size_t n = known_suffixes(context, known); n-- > 0;) {
    const List list = list_of(known[n]);
    const std::size_t num_longer = selection.num_listed();
    bool wanted = true;
    for (std::size_t i = list.begin; i < list.end && (wanted || n > 0); ++i) {
      const auto token = static_cast<Token>(arrays_.successor_tokens[i]);
      if (n > 0) selection.list(token);
      if (wanted && !selection.is_listed(token, num_longer)) wanted = selection.offer({token, weight * from_small_float(arrays_.probabilities[i])});
    }
    weight *= list.back_off;
  }
}

double NgramModel::probability(std::span<const Token> context, Token token) const {
  SPECLAB_EXPECT(token >= 0 && token < vocab_size(), "a token outside the vocabulary of the n-grams");
  Context known[kMaxOrder];
  float weight = 1.0f;
  for (std::size_t n = known_suffixes(context, known); n-- > 0;) {
    const List list = list_of(known[n]);
    for (std::size_t i = list.begin; i < list.end; ++i)
      if (arrays_.successor_tokens[i] == static_cast<std::uint32_t>(token)) return weight * from_small_float(arrays_.probabilities[i]);
    weight *= list.back_off;
  }
  return static_cast<double>(weight) / vocab_size();
}

}  // namespace speclab::engines
