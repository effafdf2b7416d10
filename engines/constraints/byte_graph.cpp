#include "engines/constraints/automaton.h"

#include <fmt/format.h>

#include <optional>

#include "sim/system/errors.h"
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

/// The encodings of a set of characters: a text of the set has in place i a byte of range i of one
/// of the results.
/// @source the splitting of ranges in Cox's RE2 and Gallant's utf8-ranges
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

class GraphBuilder {
 public:
  explicit GraphBuilder(const std::string& name) : name_(name) {}

  ByteGraph graph_of(const Expression& expression) {
    graph_.start = new_place();
    graph_.end = add(expression, graph_.start);
    return std::move(graph_);
  }

 private:
  std::int32_t new_place() {
    count_step();
    graph_.places.emplace_back();
    return static_cast<std::int32_t>(graph_.places.size()) - 1;
  }
  /// Repetitions of nothing make no places, and take time.
  void count_step() {
    if (++num_steps_ > kMostPlaces)
      refuse_size(name_, fmt::format("more than {} parts, repetitions counted", kMostPlaces),
                  "fewer");
  }
  void link(std::int32_t from, std::int32_t to) {
    graph_.places[static_cast<std::size_t>(from)].free_to.push_back(to);
  }

  /// @return the place behind the expression
  std::int32_t add(const Expression& expression, std::int32_t from) {
    count_step();
    switch (expression.kind()) {
      case Expression::Kind::characters:
        return add_characters(expression.set(), from);
      case Expression::Kind::sequence:
        for (const Expression& part : expression.parts()) from = add(part, from);
        return from;
      case Expression::Kind::choice:
        return add_choice(expression, from);
      case Expression::Kind::repetition:
        return add_repetition(expression, from);
    }
    throw ContractError("an expression of no kind");
  }

  std::int32_t add_characters(const CharacterSet& set, std::int32_t from) {
    const std::int32_t to = new_place();
    for (const std::vector<ByteRange>& encoding : utf8_ranges(set)) {
      std::int32_t place = new_place();
      link(from, place);
      for (std::size_t i = 0; i < encoding.size(); ++i) {
        const std::int32_t next = i + 1 == encoding.size() ? to : new_place();
        graph_.places[static_cast<std::size_t>(place)].bytes = encoding[i];
        graph_.places[static_cast<std::size_t>(place)].next = next;
        place = next;
      }
    }
    return to;
  }

  std::int32_t add_choice(const Expression& expression, std::int32_t from) {
    const std::int32_t to = new_place();
    for (const Expression& part : expression.parts()) {
      const std::int32_t begin = new_place();
      link(from, begin);
      link(add(part, begin), to);
    }
    return to;
  }

  std::int32_t add_repetition(const Expression& expression, std::int32_t from) {
    const Expression& part = expression.parts().front();
    for (std::int32_t i = 0; i < expression.least(); ++i) from = add(part, from);
    const std::int32_t to = new_place();
    if (!expression.most()) {
      const std::int32_t loop = new_place();
      link(from, loop);
      link(loop, to);
      link(add(part, loop), loop);
      return to;
    }
    for (std::int32_t i = expression.least(); i < *expression.most(); ++i) {
      link(from, to);
      from = add(part, from);
    }
    link(from, to);
    return to;
  }

  const std::string& name_;
  ByteGraph graph_;
  std::size_t num_steps_ = 0;
};

}  // namespace

void refuse_size(const std::string& name, const std::string& found, const std::string& allowed) {
  throw ConfigError(
      fmt::format("{} is too large: {}; allowed: {}; shorten repetitions, lengths or lists", name,
                  found, allowed));
}

ByteGraph byte_graph_of(const Expression& expression, const std::string& name) {
  return GraphBuilder(name).graph_of(expression);
}

}  // namespace speclab::engines
