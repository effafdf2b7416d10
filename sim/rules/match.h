#pragma once
#include "sim/rules/rule.h"

namespace speclab {

/// Chooses a token from the target's law at every node. A child with this token is accepted;
/// without one, it is the next token.
/// @param choose  choose(law, depth): the token
template <typename Scalar, typename Choose>
void verify_match(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                  Verdict& verdict, const Choose& choose) {
  verdict.clear();
  TokenTree::Node node = 0;
  while (true) {
    verdict.next = choose(target_laws(node), draft.tree[node].depth);
    TokenTree::Node child = next_child(draft.tree, node, node);
    verdict.next_kind = child == TokenTree::kNone ? NextKind::bonus : NextKind::recovered;
    while (child != TokenTree::kNone) {
      ++verdict.tested;
      if (draft.tree[child].token == verdict.next) break;
      child = next_child(draft.tree, node, child);
    }
    if (child == TokenTree::kNone) return;
    verdict.accepted.push_back(child);
    node = child;
  }
}

/// Match of arg max: a drafted child is accepted if it equals the arg max (lowest id on ties) of
/// the target's law. Deterministic; draws nothing.
template <typename Scalar>
void verify_greedy(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                   Verdict& verdict) {
  verify_match(draft, target_laws, verdict,
               [](const BasicLaw<Scalar>& law, std::int32_t) { return law.arg_max(); });
}

/// The target samples, and the draft must equal the sample. The draws are the target's own (purpose
/// target, draw 0). The text therefore equals that of plain decoding with this seed, token for
/// token, whatever is drafted. On trees this is SpecInfer's naive sampling.
/// @source Hugging Face's assisted generation; NTT's study of OPT; SpecInfer (Miao et al. 2023),
/// section 4.3
template <typename Scalar, ChanceSource Chance>
void verify_sample_and_match(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                             const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                             Verdict& verdict) {
  verify_match(draft, target_laws, verdict, [&](const BasicLaw<Scalar>& law, std::int32_t depth) {
    return sample(law, target_key(key, depth), chance, scratch);
  });
}

}  // namespace speclab
