#include "tests/engines/exactness/trials.h"

#include "sim/core/law_sampling.h"
#include "tests/support/named_rules.h"

namespace speclab::engines::testing {

Trials::Trials(const std::string& verifier, std::size_t context)
    : verifier_(make_verifier({.verifier = verifier, .seed = context})),
      chance_(context),
      is_chain_(!verifier.starts_with("tree") && verifier != "several_drafts"),
      kind_(speclab::testing::draw_kind_for(verifier, is_chain_)),
      context_(context) {}

Trials::Outcome Trials::operator()() {
  Outcome outcome{};
  run_round(0);
  outcome.accepted = verdict_.accepted.size();
  outcome.first = emitted(0);
  outcome.second_begins_round = outcome.accepted == 0;
  if (!outcome.second_begins_round) {
    outcome.second = emitted(1);
    return outcome;
  }
  run_round(1);
  outcome.second = emitted(0);
  return outcome;
}

void Trials::run_round(std::int32_t place) {
  const RoundKey key{0, position_, 0};
  position_ += 4;
  draft_.reset(0, kind_);
  add_children(0, is_chain_ ? 1 : 2, place, key);
  if (is_chain_) add_children(1, 1, place + 1, key);
  const auto laws = [&](TokenTree::Node node) -> const Law& {
    return pair_at(place + draft_.tree[node].depth).target;
  };
  verifier_->verify(draft_, std::cref(laws), key, verdict_);
}

void Trials::add_children(TokenTree::Node parent, std::size_t count, std::int32_t place,
                          const RoundKey& key) {
  draft_.law_for(parent) = pair_at(place).draft;
  StreamKey first = draft_key(key, draft_.tree[parent].depth, draft_.tree.size());
  tokens_.clear();
  if (kind_ == DrawKind::sampled_without_replacement)
    sample_without_replacement(draft_.law_at(parent), count, first, chance_, scratch_, tokens_);
  else
    for (; tokens_.size() < count; ++first.draw)
      tokens_.push_back(sample(draft_.law_at(parent), first, chance_, scratch_));
  for (const Token token : tokens_) draft_.add(parent, token);
}

}  // namespace speclab::engines::testing
