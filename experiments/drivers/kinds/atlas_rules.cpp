#include "experiments/drivers/kinds/atlas_rules.h"

#include <algorithm>

#include "sim/analytic/block_verification.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/core/law_sampling.h"
#include "sim/rules/acceptance.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr LossyRuleOptions kLossy{};

/// P(the chain's token number i stands, given that all before it do).
double stands(const std::string& rule, const LoggedChain& chain, std::size_t i) {
  const std::vector<double>& target = chain.target_laws[i];
  const auto token = static_cast<std::size_t>(chain.tokens[i]);
  const double p = target[token], q = chain.draft_laws[i][token];
  if (rule == "rejection") return std::min(1.0, p / q);
  if (rule == "lenient") return std::min(1.0, p / (kLossy.lenience * q));
  if (rule == "typical")
    return p > sim::typical_threshold(target, kLossy.typical_epsilon, kLossy.typical_delta) ? 1.0
                                                                                            : 0.0;
  return p;  // a match, or a certainty
}

BasicLaw<float> float_law(const std::vector<double>& law) {
  return BasicLaw<float>::dense({law.begin(), law.end()});
}

}  // namespace

const std::vector<AtlasRule>& atlas_rules() {
  static const std::vector<AtlasRule> rules{
      {.name = "rejection"},
      {.name = "sample_and_match"},
      {.name = "point_mass"},
      {.name = "block"},
      {.name = "lenient", .lossless = false},
      {.name = "typical", .lossless = false},
      {.name = "tree_naive", .drafts = 2, .takes_chains = false},
      {.name = "tree_multi_round", .drafts = 2, .takes_chains = false},
      {.name = "tree_without_replacement", .drafts = 2, .takes_chains = false},
      {.name = "several_drafts", .drafts = 2, .takes_chains = false}};
  return rules;
}

double closed_form_acceptance(const AtlasRule& rule, const LoggedChain& chain) {
  const std::vector<double>&p = chain.target_laws.front(), &q = chain.draft_laws.front();
  if (rule.name == "sample_and_match") return sim::sample_match_acceptance_rate(p, q);
  if (rule.name == "point_mass") return sim::point_mass_acceptance_rate(p, q);
  if (rule.name == "lenient") return sim::lenient_acceptance_rate(p, q, kLossy.lenience);
  if (rule.name == "typical")
    return sim::typical_acceptance(p, q, kLossy.typical_epsilon, kLossy.typical_delta);
  if (rule.name == "tree_naive") return sim::two_naive_acceptance(p, q);
  if (rule.name == "tree_multi_round") return sim::multi_step_acceptance(p, q, rule.drafts);
  if (rule.name == "tree_without_replacement") return sim::two_without_replacement_acceptance(p, q);
  if (rule.name == "several_drafts") return sim::spectr_acceptance(p, q, rule.drafts);
  return sim::acceptance_probability(p, q);  // of one draft block verification is the ratio test
}

std::vector<double> closed_form_lengths(const AtlasRule& rule, const LoggedChain& chain) {
  SPECLAB_EXPECT(rule.takes_chains, rule.name + " takes no chains");
  if (rule.name == "block")
    return sim::block_length_law(chain.target_laws, chain.draft_laws, chain.tokens);
  std::vector<double> each;
  for (std::size_t i = 0; i < chain.tokens.size(); ++i) each.push_back(stands(rule.name, chain, i));
  return sim::tokens_per_round_pmf(each);
}

double closed_form_distance(const AtlasRule& rule, const LoggedChain& chain) {
  return rule.lossless ? 0.0
                       : sim::lossy_distance(rule.name, chain.target_laws.front(),
                                             chain.draft_laws.front(), kLossy);
}

struct RuleCounter::State {
  std::vector<BasicLaw<float>> target_laws;
  Draft logged, fresh;
  PhiloxChance chance;
  std::uint32_t sequence;

  State(std::uint64_t seed, std::uint32_t number) : chance(seed), sequence(number) {}
  std::uint32_t trial = 0;
  std::vector<float> scratch;
  std::vector<Token> tokens;
  Verdict verdict;

  void verify(const AtlasRule& rule, const Draft& draft, const RoundKey& key) {
    const TargetLaws<float> laws = [&](TokenTree::Node node) -> const BasicLaw<float>& {
      return target_laws[std::min(static_cast<std::size_t>(draft.tree[node].depth),
                                  target_laws.size() - 1)];
    };
    if (rule.name == "sample_and_match" || rule.name == "tree_naive")
      return verify_sample_and_match(draft, laws, key, chance, scratch, verdict);
    if (rule.name == "point_mass")
      return verify_point_mass(draft, laws, key, chance, scratch, verdict);
    if (rule.name == "block") return verify_block(draft, laws, key, chance, scratch, verdict);
    if (rule.name == "several_drafts")
      return verify_several_drafts(draft, laws, key, chance, scratch, verdict);
    if (rule.name == "lenient")
      return verify_lenient(draft, laws, key, chance, scratch, verdict, kLossy.lenience,
                            kLossy.lenient_residual);
    if (rule.name == "typical")
      return verify_typical(draft, laws, key, chance, scratch, verdict, kLossy.typical_epsilon,
                            kLossy.typical_delta);
    verify_rejection(draft, laws, key, chance, scratch, verdict);
  }

  /// Fresh drafts for the first place, as a drafter draws them for the rule.
  void draw(const AtlasRule& rule, const RoundKey& key) {
    const Law& law = logged.law_at(0);
    const bool without = rule.name == "tree_naive" || rule.name == "tree_without_replacement";
    fresh.reset(0, rule.name == "point_mass" ? DrawKind::arg_max
                   : without                 ? DrawKind::sampled_without_replacement
                                             : DrawKind::sampled);
    StreamKey first = draft_key(key, 0, 1);
    tokens.clear();
    if (rule.name == "point_mass")
      tokens.assign(1, law.arg_max());
    else if (without)
      sample_without_replacement(law, static_cast<std::size_t>(rule.drafts), first, chance, scratch,
                                 tokens);
    else
      for (; tokens.size() < static_cast<std::size_t>(rule.drafts); ++first.draw)
        tokens.push_back(sample(law, first, chance, scratch));
    if (rule.name == "point_mass")
      fresh.law_for(0).assign_point_mass(law.vocab_size(), tokens.front());
    else
      fresh.law_for(0) = law;
    for (const Token token : tokens) fresh.add(0, token);
  }
};

RuleCounter::RuleCounter(const LoggedChain& chain, std::uint64_t seed, std::uint32_t sequence)
    : state_(std::make_unique<State>(seed, sequence)) {
  for (const std::vector<double>& law : chain.target_laws)
    state_->target_laws.push_back(float_law(law));
  state_->logged.reset(0, DrawKind::sampled);
  for (std::size_t i = 0; i < chain.tokens.size(); ++i) {
    state_->logged.law_for(static_cast<TokenTree::Node>(i)) = float_law(chain.draft_laws[i]);
    state_->logged.add(static_cast<TokenTree::Node>(i), chain.tokens[i]);
  }
}

RuleCounter::~RuleCounter() = default;

int RuleCounter::count_accepted(const AtlasRule& rule, int trials) {
  int accepted = 0;
  for (int i = 0; i < trials; ++i) {
    const RoundKey key{state_->sequence, state_->trial, 0};
    state_->trial += 2;  // a bonus token is drawn at the place after
    state_->draw(rule, key);
    state_->verify(rule, state_->fresh, key);
    accepted += !state_->verdict.accepted.empty();
  }
  return accepted;
}

int RuleCounter::count_lengths(const AtlasRule& rule, int trials) {
  int total = 0;
  for (int i = 0; i < trials; ++i) {
    state_->verify(rule, state_->logged, {state_->sequence, state_->trial, 0});
    state_->trial += static_cast<std::uint32_t>(state_->logged.tree.size());
    total += static_cast<int>(state_->verdict.accepted.size());
  }
  return total;
}

}  // namespace speclab::experiments
