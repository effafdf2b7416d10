#include "sim/core/token_tree.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr int kMaxNodes = 4095;  // round_draw leaves twelve bits for the node, root included

/// @throws ConfigError unless all of `text` is integers >= minimum, parted by `separator`
std::vector<int> parse_integers(std::string_view text, char separator, int minimum,
                                const std::string& whole) {
  std::vector<int> values;
  while (true) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < minimum || value > kMaxNodes)
      throw ConfigError(
          "tree = \"" + escaped(whole) +
          "\"; allowed: \"chain\", a chain's length (\"3\", >= 1), children per level (\"2x2x1\", "
          "each >= 1), \"parents:0,0,1\"; at most 4095 nodes; grown trees also take "
          "best_first:NODES, beam:NODES and suffixes:COUNT:CHILDREN");
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return values;
    if (text[0] != separator) return parse_integers("", separator, minimum, whole);
    text.remove_prefix(1);
  }
}

}  // namespace

void TokenTree::reset(Token pending) {
  entries_.clear();
  entries_.push_back({pending, kNone, 0, 0});
  num_rows_ = 1;
}

TokenTree::Node TokenTree::add(Node parent, Token token) {
  SPECLAB_EXPECT(parent >= 0 && parent < size(),
                 "node " + std::to_string(parent) + " is not in the tree");
  std::int32_t row = num_rows_;
  for (Node node = 1; node < size(); ++node) {
    const Entry& other = (*this)[node];
    if (other.token == token && (*this)[other.parent].row == (*this)[parent].row) row = other.row;
  }
  if (row == num_rows_) ++num_rows_;
  entries_.push_back({token, parent, (*this)[parent].depth + 1, row});
  return size() - 1;
}

void TokenTree::children(Node node, std::vector<Node>& out) const {
  out.clear();
  for (Node child = node + 1; child < size(); ++child)
    if ((*this)[child].parent == node) out.push_back(child);
}

bool TokenTree::is_chain() const {
  for (Node node = 1; node < size(); ++node)
    if ((*this)[node].parent != node - 1) return false;
  return true;
}

TokenTree::Node TokenTree::node_of_row(std::int32_t row) const {
  for (Node node = 0; node < size(); ++node)
    if ((*this)[node].row == row) return node;
  throw_contract_error("row < num_rows()", __FILE__, __LINE__,
                       "the tree has no row " + std::to_string(row));
}

TreeShape TreeShape::parse(const std::string& text, int speculation_length) {
  constexpr std::string_view kParents = "parents:";
  if (text == "chain") return chain(speculation_length);
  if (text.starts_with(kParents))
    return from_parents(
        parse_integers(std::string_view(text).substr(kParents.size()), ',', 0, text));
  if (text.find('x') != std::string::npos) return levels(parse_integers(text, 'x', 1, text));
  return chain(parse_integers(text, 'x', 1, text).front());
}

TreeShape TreeShape::chain(int speculation_length) {
  if (speculation_length < 0 || speculation_length > kMaxNodes)
    throw ConfigError("speculation_length = " + std::to_string(speculation_length) +
                      "; allowed: 0 to 4095");
  TreeShape shape;
  shape.parents_.resize(static_cast<std::size_t>(speculation_length));
  std::iota(shape.parents_.begin(), shape.parents_.end(), 0);
  return shape;
}

TreeShape TreeShape::levels(std::span<const int> children_per_level) {
  TreeShape shape;
  int first = 0;
  int last = 0;  // nodes first..last are the level to be extended
  for (const int children : children_per_level) {
    const long long nodes = last + static_cast<long long>(last - first + 1) * children;
    if (children < 1 || nodes > kMaxNodes)
      throw ConfigError("tree levels: each needs >= 1 child, all together <= 4095 nodes");
    for (int parent = first; parent <= last; ++parent)
      shape.parents_.insert(shape.parents_.end(), static_cast<std::size_t>(children), parent);
    first = last + 1;
    last = shape.num_nodes();
  }
  return shape;
}

TreeShape TreeShape::from_parents(std::vector<int> parents) {
  if (parents.size() > static_cast<std::size_t>(kMaxNodes))
    throw ConfigError("tree parents: at most 4095 nodes");
  int previous = 0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < previous || parents[i] > static_cast<int>(i))
      throw ConfigError("tree parents: entry " + std::to_string(i) + " is " +
                        std::to_string(parents[i]) +
                        "; allowed: nodes before it (root 0), level by level, siblings adjacent, "
                        "so never falling");
    previous = parents[i];
  }
  TreeShape shape;
  shape.parents_ = std::move(parents);
  return shape;
}

int TreeShape::depth() const {
  int levels = 0;
  for (int node = num_nodes(); node > 0; node = parents_[static_cast<std::size_t>(node - 1)])
    ++levels;
  return levels;
}

}  // namespace speclab
