#pragma once
#include <initializer_list>
#include <vector>

namespace speclab::engines {

/// Characters from the first to the last, both included.
struct CharacterRange {
  char32_t first, last;
  bool operator==(const CharacterRange&) const = default;
};

/// A set of Unicode characters. Surrogates are none.
class CharacterSet {
 public:
  CharacterSet() = default;
  CharacterSet(std::initializer_list<CharacterRange> ranges)
      : CharacterSet(std::vector<CharacterRange>(ranges)) {}
  /// @param ranges  in any order; they may overlap
  explicit CharacterSet(std::vector<CharacterRange> ranges);
  static CharacterSet all();

  CharacterSet complement() const;
  CharacterSet intersection(const CharacterSet& other) const;
  bool contains(char32_t character) const;
  bool empty() const { return ranges_.empty(); }
  /// Rising, and none touches the next.
  const std::vector<CharacterRange>& ranges() const { return ranges_; }

 private:
  std::vector<CharacterRange> ranges_;
};

}  // namespace speclab::engines
