#include "engines/ngrams/ngram_model.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kBlock = 16;

/// The best few so far, and every token that a longer suffix lists: its probability is that
/// suffix's.
class Selection {
 public:
  Selection(std::size_t most, std::vector<LawEntry<float>>& best) : most_(most), best_(best) {
    best_.clear();
  }

  /// @return false if it is not among the best
  bool offer(const LawEntry<float>& candidate) {
    if (best_.size() == most_) {
      if (!is_likelier(candidate, best_.back())) return false;
      best_.pop_back();
    }
    auto place = best_.end();
    while (place != best_.begin() && is_likelier(candidate, place[-1])) --place;
    best_.insert(place, candidate);
    return true;
  }
  void list(Token token) {
    listed_[num_listed_++] = token;
    seen_[word(token)] |= bit(token);
  }
  bool is_listed(Token token, std::size_t among) const {
    return (seen_[word(token)] & bit(token)) != 0 &&
           std::find(listed_, listed_ + among, token) != listed_ + among;
  }
  std::size_t num_listed() const { return num_listed_; }

 private:
  static std::size_t word(Token token) {
    return static_cast<std::size_t>(token) / 64 % std::size_t{16};
  }
  static std::uint64_t bit(Token token) { return std::uint64_t{1} << (token % 64); }

  std::size_t most_;
  std::vector<LawEntry<float>>& best_;
  std::uint64_t seen_[16] = {};  ///< last ten bits of the listed tokens: most others need no search
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
  if (arrays_.num_inner() == 0) return;
  for (Context token = 0, c = 1; token < static_cast<Context>(vocab_size()) + kBlock;
       token += kBlock) {
    while (c < arrays_.first_child[1] && arrays_.context_tokens[c] < token) ++c;
    token_block_.push_back(c);
  }
}

NgramModel::List NgramModel::list_of(Context context) const {
  const float back_off = kBackOffScale * from_small_float(arrays_.back_off[context]);
  if (context == 0) return {0, arrays_.num_unigrams, back_off};
  std::size_t begin = block_begin_[context / kBlock];
  if (context < kBlock) begin += arrays_.num_unigrams;
  for (std::size_t c = context - context % kBlock; c < context; ++c)
    begin += arrays_.num_successors[c];
  return {begin, begin + arrays_.num_successors[context], back_off};
}

std::pair<NgramModel::Context, NgramModel::Context> NgramModel::range_of_child(
    Context context, std::uint32_t older) const {
  if (context == 0) return {token_block_[older / kBlock], token_block_[older / kBlock + 1]};
  return {arrays_.first_child[context], arrays_.first_child[context + 1]};
}

NgramModel::Context NgramModel::child(Context context, Token older) const {
  if (context >= arrays_.num_inner()) return 0;
  const auto wanted = static_cast<std::uint32_t>(older);
  auto [begin, end] = range_of_child(context, wanted);
  for (std::uint32_t left = end - begin; left > 0;) {
    const std::uint32_t half = left / 2;
    const bool right = arrays_.context_tokens[begin + half] < wanted;
    begin = right ? begin + half + 1 : begin;
    left = right ? left - half - 1 : half;
  }
  return begin < end && arrays_.context_tokens[begin] == wanted ? begin : 0;
}

void NgramModel::prefetch(Context context) const {
  __builtin_prefetch(&arrays_.back_off[context]);
  __builtin_prefetch(&arrays_.num_successors[context - context % kBlock]);
  __builtin_prefetch(&block_begin_[context / kBlock]);
}

std::size_t NgramModel::known_lists(std::span<const Token> context,
                                    List (&lists)[kMaxOrder]) const {
  Context known[kMaxOrder] = {0};
  std::size_t num_known = 1;
  const std::size_t most = std::min(context.size() + 1, static_cast<std::size_t>(order()));
  for (; num_known < most; ++num_known) {
    known[num_known] = child(known[num_known - 1], context[context.size() - num_known]);
    if (known[num_known] == 0) break;
    prefetch(known[num_known]);
  }
  for (std::size_t n = num_known; n-- > 0;) {
    lists[n] = list_of(known[n]);
    __builtin_prefetch(arrays_.successor_tokens.stored().data() + 3 * lists[n].begin);
    __builtin_prefetch(arrays_.probabilities.data() + lists[n].begin);
  }
  return num_known;
}

void NgramModel::most_likely(std::span<const Token> context,
                             std::vector<LawEntry<float>>& successors) const {
  List lists[kMaxOrder];
  Selection selection(static_cast<std::size_t>(max_successors()), successors);
  float weight = 1.0f;
  for (std::size_t n = known_lists(context, lists); n-- > 0;) {
    const List list = lists[n];
    const std::size_t num_longer = selection.num_listed();
    bool wanted = true;
    for (std::size_t i = list.begin; i < list.end && (wanted || n > 0); ++i) {
      const auto token = static_cast<Token>(arrays_.successor_tokens[i]);
      if (n > 0) selection.list(token);
      if (wanted && !selection.is_listed(token, num_longer))
        wanted = selection.offer({token, weight * from_small_float(arrays_.probabilities[i])});
    }
    weight *= list.back_off;
  }
}

double NgramModel::probability(std::span<const Token> context, Token token) const {
  SPECLAB_EXPECT(token >= 0 && token < vocab_size(),
                 "a token outside the vocabulary of the n-grams");
  List lists[kMaxOrder];
  float weight = 1.0f;
  for (std::size_t n = known_lists(context, lists); n-- > 0;) {
    const List list = lists[n];
    for (std::size_t i = list.begin; i < list.end; ++i)
      if (arrays_.successor_tokens[i] == static_cast<std::uint32_t>(token))
        return weight * from_small_float(arrays_.probabilities[i]);
    weight *= list.back_off;
  }
  return static_cast<double>(weight) / vocab_size();
}

}  // namespace speclab::engines
