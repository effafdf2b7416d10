#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Texts with a token each, in a flat hash table. The texts stand one behind the other in a buffer.
class TextIds {
 public:
  TextIds() : slots_(64) {}

  /// @return false if the text is there already
  bool add(std::string_view text, Token id) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::uint32_t hash = hash_of(text);
    Slot& slot = slots_[slot_of(text, hash)];
    if (slot.entry != kFree) return false;
    slot = {hash, static_cast<std::uint32_t>(entries_.size())};
    entries_.push_back({texts_.size(), text.size(), id});
    texts_ += text;
    return true;
  }
  bool empty() const { return entries_.empty(); }
  /// @param none  for a text that is not there
  Token find(std::string_view text, Token none) const {
    const std::uint32_t entry = slots_[slot_of(text, hash_of(text))].entry;
    return entry == kFree ? none : entries_[entry].id;
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint32_t hash = 0, entry = kFree;
  };
  struct Entry {
    std::size_t begin, length;
    Token id;
  };

  static std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  }
  std::string_view text_of(const Entry& entry) const {
    return std::string_view(texts_).substr(entry.begin, entry.length);
  }
  /// The text's slot, or the free one where it belongs.
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at].entry != kFree; at = (at + 1) & mask)
      if (slots_[at].hash == hash && text_of(entries_[slots_[at].entry]) == text) break;
    return at;
  }
  void grow() {
    const std::size_t size = 2 * slots_.size(), mask = size - 1;
    std::vector<Slot> slots(size);
    for (const Slot& slot : slots_) {
      if (slot.entry == kFree) continue;
      std::size_t at = slot.hash & mask;
      while (slots[at].entry != kFree) at = (at + 1) & mask;
      slots[at] = slot;
    }
    slots_ = std::move(slots);
  }

  std::string texts_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  ///< a power of two, at most half of them taken
};

}  // namespace speclab::engines
