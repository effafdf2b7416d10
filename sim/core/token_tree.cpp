#include "sim/core/token_tree.h"

#include "sim/system/errors.h"

namespace speclab {

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

}  // namespace speclab
