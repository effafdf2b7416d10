#include "experiments/drivers/measure/logged_chain.h"

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::vector<double> normalised(const Law& law) {
  std::vector<double> values(law.vocab_size(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    total += values[i] = static_cast<double>(law[static_cast<Token>(i)]);
  for (double& value : values) value /= total;
  return values;
}

}  // namespace

LoggedChain logged_chain(const Draft& draft, const TargetLaws<float>& target_laws) {
  SPECLAB_EXPECT(draft.tree.is_chain(), "chains are logged, not trees");
  LoggedChain chain;
  for (TokenTree::Node node = 0; node < draft.tree.size(); ++node) {
    chain.target_laws.push_back(normalised(target_laws(node)));
    if (node + 1 == draft.tree.size()) break;
    chain.draft_laws.push_back(normalised(draft.law_at(node)));
    chain.tokens.push_back(draft.tree[node + 1].token);
  }
  return chain;
}

}  // namespace speclab::experiments
