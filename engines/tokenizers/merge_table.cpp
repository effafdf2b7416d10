#include "engines/tokenizers/merge_table.h"

#include <bit>

namespace speclab::engines {

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

}  // namespace speclab::engines
