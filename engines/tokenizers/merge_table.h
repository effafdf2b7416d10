#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Two neighbouring tokens that become one.
struct Merge {
  Token left = 0;
  Token right = 0;
  Token merged = 0;
  /// Merges of equal rank are made from left to right. Left out, it is the place in the list.
  std::uint32_t rank = kPlaceInList;

  static constexpr std::uint32_t kPlaceInList = UINT32_MAX;
};

/// The token that a pair becomes, and its rank: lower ranks merge first.
struct MergeRule {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t rank = kNone;
  Token merged = 0;
};

/// All merges in a flat hash table with linear probing.
class MergeTable {
 public:
  /// @param merges  in order of rank; of equal pairs the first counts
  explicit MergeTable(std::span<const Merge> merges);

  /// Rank kNone if the two do not merge.
  MergeRule find(Token left, Token right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key) return slots_[slot].rule;
      if (slots_[slot].rule.rank == MergeRule::kNone) return {};
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    MergeRule rule;  ///< rank kNone: the slot is free
  };
  static std::uint64_t key_of(Token left, Token right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }
  /// Multiplicative hashing. @source Knuth, TAOCP vol. 3, section 6.4; the factor is 2^64 over the
  /// golden ratio
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 20) & mask_;
  }
  void insert(const Merge& merge, std::uint32_t rank);

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace speclab::engines
