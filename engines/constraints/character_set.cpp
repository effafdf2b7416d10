#include "engines/constraints/character_set.h"

#include <algorithm>

namespace speclab::engines {
namespace {

constexpr char32_t kLast = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

/// Appends the characters of a range, without surrogates.
void append_characters(CharacterRange range, std::vector<CharacterRange>& ranges) {
  const CharacterRange low{range.first, std::min<char32_t>(range.last, kFirstSurrogate - 1)};
  const CharacterRange high{std::max<char32_t>(range.first, kLastSurrogate + 1), range.last};
  for (const CharacterRange& part : {low, high})
    if (part.first <= part.last) ranges.push_back(part);
}

}  // namespace

CharacterSet::CharacterSet(std::vector<CharacterRange> ranges) {
  std::vector<CharacterRange> parts;
  for (const CharacterRange& range : ranges) append_characters(range, parts);
  std::ranges::sort(parts, {}, &CharacterRange::first);
  for (const CharacterRange& part : parts) {
    if (ranges_.empty() || part.first > ranges_.back().last + 1)
      ranges_.push_back(part);
    else
      ranges_.back().last = std::max(ranges_.back().last, part.last);
  }
}

CharacterSet CharacterSet::all() { return {{0, kLast}}; }

CharacterSet CharacterSet::complement() const {
  std::vector<CharacterRange> gaps;
  char32_t next = 0;
  for (const CharacterRange& range : ranges_) {
    if (range.first > next) gaps.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) gaps.push_back({next, kLast});
  return CharacterSet(std::move(gaps));
}

CharacterSet CharacterSet::intersection(const CharacterSet& other) const {
  std::vector<CharacterRange> outside = complement().ranges_;
  const CharacterSet outside_other = other.complement();
  outside.insert(outside.end(), outside_other.ranges_.begin(), outside_other.ranges_.end());
  return CharacterSet(std::move(outside)).complement();
}

bool CharacterSet::contains(char32_t character) const {
  return std::ranges::any_of(ranges_, [character](const CharacterRange& range) {
    return range.first <= character && character <= range.last;
  });
}

}  // namespace speclab::engines
