#include "engines/constraints/expression.h"

#include "engines/constraints/utf8_bytes.h"
#include "sim/system/errors.h"

namespace speclab::engines {

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
  const auto spelt = characters_of(text);
  SPECLAB_EXPECT(spelt, "a literal in UTF-8");
  std::vector<Expression> parts;
  for (const char32_t one : *spelt) parts.push_back(characters({{one, one}}));
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
