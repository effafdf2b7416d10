#include "engines/tokenizers/byte_trie.h"

#include <utility>

namespace speclab::engines {

ByteTrie::ByteTrie() : slots_(64), values_{-1} {}

void ByteTrie::add(std::string_view text, std::int32_t value) {
  std::uint32_t node = 0;
  for (const char byte : text) node = child_or_new(node, static_cast<unsigned char>(byte));
  if (values_[node] < 0) values_[node] = value;
}

std::int32_t ByteTrie::find(std::string_view text) const {
  std::int32_t found = -1;
  visit_prefixes(text, [&](std::size_t length, std::int32_t value) {
    if (length == text.size()) found = value;
  });
  return found;
}

std::uint32_t ByteTrie::child_or_new(std::uint32_t node, unsigned char byte) {
  if (const std::uint32_t known = child(node, byte)) return known;
  const auto made = static_cast<std::uint32_t>(values_.size());
  values_.push_back(-1);
  if (node == 0) return first_[byte] = made;
  if (2 * values_.size() > slots_.size()) grow();
  insert(std::uint64_t{node} << 8 | byte, made);
  return made;
}

void ByteTrie::insert(std::uint64_t key, std::uint32_t child) {
  std::size_t slot = slot_of(key);
  while (slots_[slot].child != 0) slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot] = {key, child};
}

void ByteTrie::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : old)
    if (slot.child != 0) insert(slot.key, slot.child);
}

}  // namespace speclab::engines
