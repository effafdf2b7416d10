#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Copies the tokens of pieces that come again from where they already stand in the result.
class KnownPieces {
 public:
  KnownPieces() : slots_(kFirstSlots) {}

  /// Calls `make()`, which appends to `out`, where the piece is new.
  /// @param piece  not empty; outlives this @param out  the same in all calls, never shortened
  template <typename Make>
  void append(std::string_view piece, std::vector<Token>& out, Make make) {
    const std::size_t hash = std::hash<std::string_view>()(piece);
    std::size_t place = hash & (slots_.size() - 1);
    for (; !slots_[place].piece.empty(); place = (place + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[place];
      if (slot.hash != hash || slot.piece != piece) continue;
      for (std::size_t i = 0; i < slot.count; ++i) out.push_back(Token{out[slot.begin + i]});
      return;
    }
    const std::size_t begin = out.size();
    make();
    slots_[place] = {piece, hash, begin, out.size() - begin};
    if (++num_pieces_ * 2 > slots_.size()) grow();
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  struct Slot {
    std::string_view piece;  ///< empty: the slot is free
    std::size_t hash = 0, begin = 0, count = 0;
  };

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.piece.empty()) continue;
      std::size_t place = slot.hash & (slots_.size() - 1);
      while (!slots_[place].piece.empty()) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two, half empty
  std::size_t num_pieces_ = 0;
};

}  // namespace speclab::engines
