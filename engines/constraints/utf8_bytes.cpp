#include "engines/constraints/utf8_bytes.h"

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// The last character of each length of encoding.
constexpr char32_t kLastOfLength[] = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};

/// The new last character of a range that has to be split, so that its bytes are ranges of their
/// own; nothing if it need not be.
std::optional<char32_t> split_of(const CharacterRange& range) {
  for (const char32_t last : kLastOfLength)
    if (range.first <= last && last < range.last) return last;
  if (range.last <= kLastOfLength[0]) return std::nullopt;
  for (int bits = 6; bits <= 18; bits += 6) {
    const char32_t low = (char32_t{1} << bits) - 1;
    if ((range.first & ~low) == (range.last & ~low)) continue;
    if ((range.first & low) != 0) return range.first | low;
    if ((range.last & low) != low) return (range.last & ~low) - 1;
  }
  return std::nullopt;
}

std::vector<ByteRange> bytes_of(const CharacterRange& range) {
  const std::string first = utf8_of(range.first), last = utf8_of(range.last);
  std::vector<ByteRange> bytes;
  for (std::size_t i = 0; i < first.size(); ++i)
    bytes.push_back({static_cast<std::uint8_t>(first[i]), static_cast<std::uint8_t>(last[i])});
  return bytes;
}

char32_t character_of(std::string_view bytes) {
  constexpr unsigned char kLeadBits[] = {0x7F, 0x1F, 0x0F, 0x07};
  char32_t character = static_cast<unsigned char>(bytes[0]) & kLeadBits[bytes.size() - 1];
  for (const char byte : bytes.substr(1))
    character = character << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return character;
}

}  // namespace

std::vector<std::vector<ByteRange>> utf8_ranges(const CharacterSet& set) {
  std::vector<CharacterRange> open(set.ranges().rbegin(), set.ranges().rend());
  std::vector<std::vector<ByteRange>> encodings;
  while (!open.empty()) {
    const CharacterRange range = open.back();
    open.pop_back();
    if (const auto last = split_of(range)) {
      open.push_back({*last + 1, range.last});
      open.push_back({range.first, *last});
    } else {
      encodings.push_back(bytes_of(range));
    }
  }
  return encodings;
}

std::optional<std::u32string> characters_of(std::string_view text) {
  std::u32string characters;
  while (!text.empty()) {
    const Utf8Head head = utf8_head(text);
    if (head.state != Utf8State::complete) return std::nullopt;
    characters += character_of(text.substr(0, head.length));
    text.remove_prefix(head.length);
  }
  return characters;
}

std::string utf8_of(char32_t character) {
  const auto continued = [character](int shift) {
    return static_cast<char>(0x80 | (character >> shift & 0x3F));
  };
  if (character <= kLastOfLength[0]) return {static_cast<char>(character)};
  if (character <= kLastOfLength[1])
    return {static_cast<char>(0xC0 | character >> 6), continued(0)};
  if (character <= kLastOfLength[2])
    return {static_cast<char>(0xE0 | character >> 12), continued(6), continued(0)};
  return {static_cast<char>(0xF0 | character >> 18), continued(12), continued(6), continued(0)};
}

}  // namespace speclab::engines
