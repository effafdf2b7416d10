#include "engines/constraints/byte_graph.h"

#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

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
