#pragma once
// The shipping verifiers over real laws: what they emit for two places, drawn by the shipping
// generator.

#include <memory>
#include <string>
#include <vector>

#include "engines/verifiers/verifier.h"
#include "sim/core/chance.h"
#include "tests/engines/exactness/real_pairs.h"

namespace speclab::engines::testing {

/// A drafted chain of two, or two siblings, verified until two tokens have been emitted; the laws
/// of the next places are the next contexts', whatever was emitted.
class Trials {
 public:
  Trials(const std::string& verifier, std::size_t context);

  struct Outcome {
    Token first, second;
    std::size_t accepted;  ///< by the round of the first token
    bool second_begins_round;
  };
  Outcome operator()();

 private:
  const LawPair& pair_at(std::int32_t place) const {
    return real_pairs()[(context_ + static_cast<std::size_t>(place)) % kContexts];
  }
  Token emitted(std::size_t i) const {
    return i < verdict_.accepted.size() ? draft_.tree[verdict_.accepted[i]].token : verdict_.next;
  }
  void run_round(std::int32_t place);
  void add_children(TokenTree::Node parent, std::size_t count, std::int32_t place,
                    const RoundKey& key);

  std::unique_ptr<Verifier> verifier_;
  PhiloxChance chance_;
  bool is_chain_;
  DrawKind kind_;
  std::size_t context_;
  std::uint32_t position_ = 0;
  Draft draft_;
  Verdict verdict_;
  std::vector<Token> tokens_;
  std::vector<float> scratch_;
};

}  // namespace speclab::engines::testing
