#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace speclab::engines {

/// Texts with a number each, found at the beginning of other texts byte by byte.
class ByteTrie {
 public:
  ByteTrie() : slots_(64), values_{-1} {}

  /// The first number of a text counts. @param text  not empty @param value  >= 0
  void add(std::string_view text, std::int32_t value) {
    std::uint32_t node = 0;
    for (const char byte : text) node = child_or_new(node, static_cast<unsigned char>(byte));
    if (values_[node] < 0) values_[node] = value;
  }
  /// Number of exactly this text, or -1.
  std::int32_t find(std::string_view text) const {
    std::int32_t found = -1;
    visit_prefixes(text, [&](std::size_t length, std::int32_t value) {
      if (length == text.size()) found = value;
    });
    return found;
  }

  /// Calls `visit(length, value)` for each added text that `text` begins with, the shortest first.
  template <typename Visit>
  void visit_prefixes(std::string_view text, Visit visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return;
      if (values_[node] >= 0) visit(i + 1, values_[node]);
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t child = 0;  ///< 0: the slot is free
  };

  /// 0 if there is none.
  std::uint32_t child(std::uint32_t node, unsigned char byte) const {
    if (node == 0) return first_[byte];
    const std::uint64_t key = std::uint64_t{node} << 8 | byte;
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & (slots_.size() - 1))
      if (slots_[slot].child == 0 || slots_[slot].key == key) return slots_[slot].child;
  }
  /// Multiplicative hashing. @source Knuth, TAOCP vol. 3, section 6.4; the factor is 2^64 over the
  /// golden ratio
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 20) & (slots_.size() - 1);
  }
  std::uint32_t child_or_new(std::uint32_t node, unsigned char byte) {
    if (const std::uint32_t known = child(node, byte)) return known;
    const auto made = static_cast<std::uint32_t>(values_.size());
    values_.push_back(-1);
    if (node == 0) return first_[byte] = made;
    if (2 * values_.size() > slots_.size()) grow();
    insert(std::uint64_t{node} << 8 | byte, made);
    return made;
  }
  void insert(std::uint64_t key, std::uint32_t child) {
    std::size_t slot = slot_of(key);
    while (slots_[slot].child != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {key, child};
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old)
      if (slot.child != 0) insert(slot.key, slot.child);
  }

  std::array<std::uint32_t, 256> first_ = {};  ///< children of the root
  std::vector<Slot> slots_;                    ///< all other edges; a power of two, half empty
  std::vector<std::int32_t> values_;           ///< of each node, -1 where no text ends
};

}  // namespace speclab::engines
