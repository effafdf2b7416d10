#include "engines/tokenizers/pre_tokenizer.h"

#include <cstring>

namespace speclab::engines {
namespace {

// The parts of a unit. @source darts-clone's DoubleArrayUnit
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
std::uint32_t label_of(std::uint32_t unit) { return unit & (1U << 31 | 0xFF); }
std::uint32_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & 1U << 9) >> 6); }

}  // namespace

Charsmap::Charsmap(std::string_view bytes, std::string& problem) {
  if (bytes.empty()) return;
  std::uint32_t trie_bytes = 0;
  if (bytes.size() >= sizeof trie_bytes) std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
  const std::size_t left = bytes.size() - std::min(bytes.size(), sizeof trie_bytes);
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > left || bytes.back() != '\0') {
    problem = "a table of " + std::to_string(trie_bytes) + " bytes in " +
              std::to_string(bytes.size()) + " bytes";
    return;
  }
  units_.resize(trie_bytes / 4);
  std::memcpy(units_.data(), bytes.data() + 4, trie_bytes);
  replacements_ = bytes.substr(4 + trie_bytes);
}

/// Places outside the table end the walk.
Charsmap::Match Charsmap::match(std::string_view text, bool is_longest) const {
  Match match;
  if (units_.empty()) return match;
  std::uint32_t at = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) break;
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    const std::uint32_t place = at < units_.size() ? value_of(units_[at]) : UINT32_MAX;
    if (place >= replacements_.size()) break;
    match = {i + 1, replacements_.data() + place};
    if (!is_longest) break;
  }
  return match;
}

}  // namespace speclab::engines
