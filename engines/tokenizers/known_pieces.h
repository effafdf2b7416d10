#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Copies the tokens of pieces that come again from where they already stand in the result.
class KnownPieces {
 public:
  /// Calls `make()`, which appends to `out`, where the piece is new.
  /// @param piece  outlives this @param out  the same in all calls, never shortened
  template <typename Make>
  void append(std::string_view piece, std::vector<Token>& out, Make make) {
    const auto [known, is_new] = known_.try_emplace(piece, Range{out.size(), 0});
    const Range range = known->second;
    if (is_new) {
      make();
      known_[piece].count = out.size() - range.begin;
      return;
    }
    for (std::size_t i = 0; i < range.count; ++i) out.push_back(Token{out[range.begin + i]});
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t count;
  };
  std::unordered_map<std::string_view, Range> known_;
};

}  // namespace speclab::engines
