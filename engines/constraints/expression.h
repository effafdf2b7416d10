#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// A regular expression as a tree. Copies share their parts.
class Expression {
 public:
  enum class Kind : std::uint8_t { characters, sequence, choice, repetition };

  /// One character of the set.
  static Expression characters(CharacterSet set);
  /// @param text  valid UTF-8
  static Expression literal(std::string_view text);
  /// One part after the other; of no part: the empty text.
  static Expression sequence(std::vector<Expression> parts);
  /// Any of the parts; of no part: no text at all.
  static Expression choice(std::vector<Expression> parts);
  /// The part at least `least` times, and at most `most` times if that is given.
  static Expression repeated(Expression part, std::int32_t least,
                             std::optional<std::int32_t> most = std::nullopt);
  static Expression optional(Expression part) { return repeated(std::move(part), 0, 1); }

  Kind kind() const;
  const CharacterSet& set() const;            ///< of Kind::characters
  std::span<const Expression> parts() const;  ///< a repetition has one
  std::int32_t least() const;
  std::optional<std::int32_t> most() const;

 private:
  struct Node;
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// A user's expression stands for whole texts. A pattern of a JSON schema may stand anywhere in
/// them, and has the blanks and line ends of ECMA-262.
enum class RegexUse : std::uint8_t { whole_text, schema_pattern };

inline constexpr std::size_t kMostRegexBytes = 1 << 16;

/// Reads a regular expression over Unicode characters.
///
/// It has literals, `.` (not the end of a line), classes [a-z] and [^a-z], \d \w \s and \D \W \S of
/// ASCII (patterns of schemas have the blanks and line ends of ECMA-262, JSON Schema's), \n \r \t
/// \f \v, \xHH, \uHHHH, \u{H...}, groups ( ) and (?: ), |, and * + ? {m} {m,} {m,n}. `^` and `$`
/// stand at the two ends of an outermost alternative.
/// @param name  of the expression, for messages
/// @throws ConfigError with the place of anything else
Expression read_regex(std::string_view text, RegexUse use, const std::string& name);

}  // namespace speclab::engines
