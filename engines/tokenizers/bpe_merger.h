#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
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

/// Token of each byte, or kNoToken where the vocabulary lacks it.
using ByteTokens = std::array<Token, 256>;
inline constexpr Token kNoToken = -1;

/// Merges the bytes or other symbols of one piece, the lowest rank first and of equal ranks the
/// leftmost, in O(n log n). Holds work space that is reused from piece to piece: one merger a
/// thread.
class BpeMerger {
 public:
  /// @param byte_tokens, merges  outlive the merger
  BpeMerger(const ByteTokens& byte_tokens, const MergeTable& merges)
      : byte_tokens_(byte_tokens), merges_(merges) {}

  /// Appends the tokens of `piece`; bytes without a token merge with nothing and are left out.
  /// @throws ContractError if the piece has 2^31 bytes or more
  void append_tokens(std::string_view piece, std::vector<Token>& out);
  /// The same from symbols instead of bytes; kNoToken merges with nothing and is left out.
  void append_merged(std::span<const Token> symbols, std::vector<Token>& out);

 private:
  struct Symbol {
    Token token;
    std::uint32_t previous;
    std::uint32_t next;
    std::uint32_t
        rank;  ///< of merging with the next symbol; kNone if they do not, or if the symbol is gone
  };
  void resize(std::size_t count);
  void start();
  void merge_all(std::vector<Token>& out);
  void merge_at(std::uint32_t index);
  void update_rank(std::uint32_t index);
  void push(std::uint32_t index);

  const ByteTokens& byte_tokens_;
  const MergeTable& merges_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> first_;  ///< pairs of bytes, sorted: rank above index; an entry is
                                      ///< stale if the symbol's rank is another by now
  std::vector<std::uint64_t> heap_;   ///< pairs with a merged token, likewise
};

}  // namespace speclab::engines
