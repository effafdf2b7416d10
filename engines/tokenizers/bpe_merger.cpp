#include "engines/tokenizers/bpe_merger.h"

#include <algorithm>
#include <bit>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint32_t kEnd = UINT32_MAX;  // no neighbour
constexpr std::size_t kChildren =
    8;  // of a heap's entry: neighbours in memory, so that a large heap is a third as deep as a
        // binary one and misses the cache less often

/// Puts `entry` where the heap's smallest descendants of `at` leave room.
void sift_down(std::vector<std::uint64_t>& heap, std::size_t at, std::uint64_t entry) {
  for (std::size_t first = kChildren * at + 1; first < heap.size(); first = kChildren * at + 1) {
    const auto begin = heap.begin() + static_cast<std::ptrdiff_t>(first);
    const auto least = std::min_element(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(kChildren, heap.size() - first)));
    if (*least >= entry) break;
    heap[at] = *least;
    at = static_cast<std::size_t>(least - heap.begin());
  }
  heap[at] = entry;
}

void push_heap(std::vector<std::uint64_t>& heap, std::uint64_t entry) {
  std::size_t at = heap.size();
  heap.push_back(entry);
  for (; at > 0 && heap[(at - 1) / kChildren] > entry; at = (at - 1) / kChildren)
    heap[at] = heap[(at - 1) / kChildren];
  heap[at] = entry;
}

std::uint64_t pop_heap(std::vector<std::uint64_t>& heap) {
  const std::uint64_t least = heap.front(), last = heap.back();
  heap.pop_back();
  if (!heap.empty()) sift_down(heap, 0, last);
  return least;
}

}  // namespace

MergeTable::MergeTable(std::span<const Merge> merges)
    : slots_(std::bit_ceil(merges.size() * 2 + 2)), mask_(slots_.size() - 1) {
  std::uint32_t place = 0;
  for (const Merge& merge : merges) {
    insert(merge, merge.rank == Merge::kPlaceInList ? place : merge.rank);
    ++place;
  }
}

void MergeTable::insert(const Merge& merge, std::uint32_t rank) {
  const std::uint64_t key = key_of(merge.left, merge.right);
  std::size_t slot = slot_of(key);
  while (slots_[slot].rule.rank != MergeRule::kNone && slots_[slot].key != key)
    slot = (slot + 1) & mask_;
  if (slots_[slot].rule.rank == MergeRule::kNone) slots_[slot] = {key, {rank, merge.merged}};
}

void BpeMerger::append_tokens(std::string_view piece, std::vector<Token>& out) {
  resize(piece.size());
  for (std::size_t i = 0; i < piece.size(); ++i)
    symbols_[i].token = byte_tokens_[static_cast<unsigned char>(piece[i])];
  merge_all(out);
}

void BpeMerger::append_merged(std::span<const Token> symbols, std::vector<Token>& out) {
  resize(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) symbols_[i].token = symbols[i];
  merge_all(out);
}

void BpeMerger::merge_all(std::vector<Token>& out) {
  start();
  for (std::size_t next = 0; next < first_.size() || !heap_.empty();) {
    const bool is_first = heap_.empty() || (next < first_.size() && first_[next] < heap_.front());
    const std::uint64_t best = is_first ? first_[next++] : pop_heap(heap_);
    const auto index = static_cast<std::uint32_t>(best);
    if (symbols_[index].rank == best >> 32) merge_at(index);
  }
  for (std::uint32_t i = symbols_.empty() ? kEnd : 0; i != kEnd; i = symbols_[i].next) {
    if (symbols_[i].token != kNoToken) out.push_back(symbols_[i].token);
  }
}

void BpeMerger::resize(std::size_t count) {
  SPECLAB_EXPECT(count <= INT32_MAX, "a piece has fewer than 2^31 symbols");
  symbols_.resize(count);
}

/// Links the symbols and finds the pairs that merge.
void BpeMerger::start() {
  const auto size = static_cast<std::uint32_t>(symbols_.size());
  heap_.clear();
  first_.clear();
  first_.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    symbols_[i] = {symbols_[i].token, i == 0 ? kEnd : i - 1, i + 1 == size ? kEnd : i + 1,
                   MergeRule::kNone};
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    update_rank(i);
    if (symbols_[i].rank != MergeRule::kNone)
      first_.push_back(std::uint64_t{symbols_[i].rank} << 32 | i);
  }
  std::ranges::sort(first_);
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
  symbol.rank = symbol.next == kEnd ? MergeRule::kNone
                                    : merges_.find(symbol.token, symbols_[symbol.next].token).rank;
}

void BpeMerger::push(std::uint32_t index) {
  update_rank(index);
  if (symbols_[index].rank == MergeRule::kNone) return;
  push_heap(heap_, std::uint64_t{symbols_[index].rank} << 32 | index);
}

}  // namespace speclab::engines
