#pragma once
// What every rule makes of one logged draft: in closed form and counted by the rule itself.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/drivers/measure/second_decoding.h"

namespace speclab::experiments {

struct AtlasRule {
  std::string name;  ///< of the verifier
  int drafts = 1;    ///< for one place
  bool lossless = true;
  bool takes_chains = true;
};

/// Rules for one draft, then those for two siblings.
const std::vector<AtlasRule>& atlas_rules();

/// P(any of the rule's drafts for the chain's first place is kept), the drafts drawn from its law.
double closed_form_acceptance(const AtlasRule& rule, const LoggedChain& chain);
/// P(i of the logged tokens stand), i = 0 ... n. @param rule  one that takes chains
std::vector<double> closed_form_lengths(const AtlasRule& rule, const LoggedChain& chain);
/// Total variation of what the rule emits for the chain's first place; 0 if it is lossless.
double closed_form_distance(const AtlasRule& rule, const LoggedChain& chain);

/// The shipping rule in float over the same laws, trial after trial with random numbers of its own.
class RuleCounter {
 public:
  RuleCounter(const LoggedChain& chain, std::uint64_t seed, std::uint32_t sequence);
  ~RuleCounter();

  /// Of `trials`: how often any of fresh drafts for the first place was kept.
  int count_accepted(const AtlasRule& rule, int trials);
  /// Of `trials` verifications of the logged chain: how many of its tokens stood, together.
  int count_lengths(const AtlasRule& rule, int trials);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speclab::experiments
