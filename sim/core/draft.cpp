#include "sim/core/draft.h"

#include "sim/system/errors.h"

namespace speclab {

template <typename Scalar>
void BasicDraft<Scalar>::reset(Token pending, DrawKind kind) {
  tree.reset(pending);
  law_of_node.assign(1, -1);
  draw_kind = kind;
  num_laws = 0;
}

template <typename Scalar>
BasicLaw<Scalar>& BasicDraft<Scalar>::law_for(TokenTree::Node node) {
  SPECLAB_EXPECT(node >= 0 && node < tree.size(),
                 "node " + std::to_string(node) + " is not in the draft");
  std::int32_t& slot = law_of_node[static_cast<std::size_t>(node)];
  if (slot < 0) slot = num_laws++;
  if (static_cast<std::size_t>(slot) == laws.size()) laws.emplace_back();
  return laws[static_cast<std::size_t>(slot)];
}

template <typename Scalar>
const BasicLaw<Scalar>& BasicDraft<Scalar>::law_at(TokenTree::Node node) const {
  SPECLAB_EXPECT(node >= 0 && node < tree.size(),
                 "node " + std::to_string(node) + " is not in the draft");
  const std::int32_t slot = law_of_node[static_cast<std::size_t>(node)];
  SPECLAB_EXPECT(slot >= 0, "node " + std::to_string(node) + " has children but no law");
  return laws[static_cast<std::size_t>(slot)];
}

template <typename Scalar>
TokenTree::Node BasicDraft<Scalar>::add(TokenTree::Node parent, Token token) {
  const TokenTree::Node node = tree.add(parent, token);
  law_of_node.push_back(-1);
  return node;
}

template struct BasicDraft<float>;
template struct BasicDraft<double>;

}  // namespace speclab
