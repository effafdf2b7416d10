#include "tests/support/named_rules.h"

#include <stdexcept>

namespace speclab::testing {
namespace {

/// `verify` with a scratch of its own, whatever its other arguments.
template <typename Scalar, typename Verify>
Rule<Scalar> rule(Verify verify) {
  return [verify, scratch = std::vector<Scalar>()](
             const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& laws, const RoundKey& key,
             Chance& chance,
             Verdict& verdict) mutable { verify(draft, laws, key, chance, scratch, verdict); };
}

}  // namespace

template <typename Scalar>
Rule<Scalar> rule_named(const std::string& verifier) {
  if (verifier == "greedy")
    return rule<Scalar>([](const auto& draft, const auto& laws, const RoundKey&, auto&, auto&,
                           Verdict& verdict) { verify_greedy(draft, laws, verdict); });
  if (verifier == "rejection" || verifier == "tree_multi_round" ||
      verifier == "tree_without_replacement")
    return rule<Scalar>([](auto&&... a) { verify_rejection(a...); });
  if (verifier == "sample_and_match" || verifier == "tree_naive")
    return rule<Scalar>([](auto&&... a) { verify_sample_and_match(a...); });
  if (verifier == "point_mass") return rule<Scalar>([](auto&&... a) { verify_point_mass(a...); });
  if (verifier == "block") return rule<Scalar>([](auto&&... a) { verify_block(a...); });
  if (verifier == "several_drafts")
    return rule<Scalar>([](auto&&... a) { verify_several_drafts(a...); });
  if (verifier == "lenient")
    return rule<Scalar>([](auto&&... a) { verify_lenient(a..., 0.8, LenientResidual::full); });
  if (verifier == "typical")
    return rule<Scalar>([](auto&&... a) { verify_typical(a..., 0.09, 0.3); });
  throw std::invalid_argument("no rule is named " + verifier);
}

DrawKind draw_kind_for(const std::string& verifier, bool is_chain) {
  const bool independent =
      is_chain || verifier == "tree_multi_round" || verifier == "several_drafts";
  return independent ? DrawKind::sampled : DrawKind::sampled_without_replacement;
}

template Rule<float> rule_named<float>(const std::string&);
template Rule<double> rule_named<double>(const std::string&);

}  // namespace speclab::testing
