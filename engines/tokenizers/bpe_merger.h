#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engines/tokenizers/merge_table.h"

namespace speclab::engines {

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
