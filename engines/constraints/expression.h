#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/constraints/character_set.h"

namespace speclab::engines {

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

}  // namespace speclab::engines
