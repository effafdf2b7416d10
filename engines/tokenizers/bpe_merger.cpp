#include "engines/tokenizers/bpe_merger.h"

#include <algorithm>
#include <functional>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint32_t kEnd = UINT32_MAX;  // no neighbour

}  // namespace

void BpeMerger::append_tokens(std::string_view piece, std::vector<Token>& out) {
  start(piece);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint64_t best = heap_.back();
    heap_.pop_back();
    const auto index = static_cast<std::uint32_t>(best);
    if (symbols_[index].rank == best >> 32) merge_at(index);
  }
  for (std::uint32_t i = piece.empty() ? kEnd : 0; i != kEnd; i = symbols_[i].next) {
    if (symbols_[i].token != kNoToken) out.push_back(symbols_[i].token);
  }
}

void BpeMerger::start(std::string_view piece) {
  SPECLAB_EXPECT(piece.size() <= INT32_MAX, "a piece has fewer than 2^31 bytes");
  const auto size = static_cast<std::uint32_t>(piece.size());
  symbols_.resize(size);
  heap_.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    symbols_[i] = {byte_tokens_[static_cast<unsigned char>(piece[i])], i == 0 ? kEnd : i - 1, i + 1 == size ? kEnd : i + 1, MergeRule::kNone};
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    update_rank(i);
    if (symbols_[i].rank != MergeRule::kNone) heap_.push_back(std::uint64_t{symbols_[i].rank} << 32 | i);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BpeMerger::merge_at(std::uint32_t index) {
  Symbol& left = symbols_[index];
  Symbol& right = symbols_[left.next];
  left.token = merges_.find(left.token, right.token).merged;
  left.next = right.next;
  right.rank = MergeRule::kNone;
  if (left.next != kEnd) symbols_[left.next].previous = index;
  push(index);
  if (left.previous != kEnd) push(left.previous);
}

void BpeMerger::update_rank(std::uint32_t index) {
  Symbol& symbol = symbols_[index];
  symbol.rank = symbol.next == kEnd ? MergeRule::kNone : merges_.find(symbol.token, symbols_[symbol.next].token).rank;
}

void BpeMerger::push(std::uint32_t index) {
  update_rank(index);
  if (symbols_[index].rank == MergeRule::kNone) return;
  heap_.push_back(std::uint64_t{symbols_[index].rank} << 32 | index);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

}  // namespace speclab::engines
