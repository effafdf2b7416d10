#pragma once
// Characters as bytes of UTF-8.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/constraints/character_set.h"

namespace speclab::engines {

/// Bytes from the first to the last, both included.
struct ByteRange {
  std::uint8_t first, last;
};

/// The encodings of a set of characters: a text of the set has in place i a byte of range i of one
/// of the results.
/// @source the splitting of ranges in Cox's RE2 and Gallant's utf8-ranges
std::vector<std::vector<ByteRange>> utf8_ranges(const CharacterSet& set);

/// The characters of a text; nothing if it is no valid UTF-8.
std::optional<std::u32string> characters_of(std::string_view text);

/// One character in UTF-8.
std::string utf8_of(char32_t character);

}  // namespace speclab::engines
