#include "engines/constraints/expression.h"

#include <algorithm>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

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

struct Expression::Node {
  Kind kind;
  CharacterSet set{};
  std::vector<Expression> parts{};
  std::int32_t least = 1;
  std::optional<std::int32_t> most{};
};

Expression Expression::characters(CharacterSet set) {
  return Expression(
      std::make_shared<const Node>(Node{.kind = Kind::characters, .set = std::move(set)}));
}

Expression Expression::literal(std::string_view text) {
  SPECLAB_EXPECT(is_valid_utf8(text), "a literal in UTF-8");
  std::vector<Expression> parts;
  for (const char32_t one : characters_of(text)) parts.push_back(characters({{one, one}}));
  return sequence(std::move(parts));
}

Expression Expression::sequence(std::vector<Expression> parts) {
  return Expression(
      std::make_shared<const Node>(Node{.kind = Kind::sequence, .parts = std::move(parts)}));
}

Expression Expression::choice(std::vector<Expression> parts) {
  return Expression(
      std::make_shared<const Node>(Node{.kind = Kind::choice, .parts = std::move(parts)}));
}

Expression Expression::repeated(Expression part, std::int32_t least,
                                std::optional<std::int32_t> most) {
  return Expression(std::make_shared<const Node>(
      Node{.kind = Kind::repetition, .parts = {std::move(part)}, .least = least, .most = most}));
}

Expression::Kind Expression::kind() const { return node_->kind; }
const CharacterSet& Expression::set() const { return node_->set; }
std::span<const Expression> Expression::parts() const { return node_->parts; }
std::int32_t Expression::least() const { return node_->least; }
std::optional<std::int32_t> Expression::most() const { return node_->most; }

}  // namespace speclab::engines
