#include "tests/support/small_world.h"

#include <algorithm>
#include <cmath>

#include "sim/core/law_sampling.h"

namespace speclab::testing {
namespace {

/// Uniforms of one prefix.
class PrefixStream {
 public:
  PrefixStream(std::uint64_t seed, const Tokens& prefix, std::uint32_t which)
      : stream_(seed), which_(which) {
    for (const Token token : prefix)
      position_ = position_ * 31 + static_cast<std::uint32_t>(token) + 1;
  }
  double next() { return stream_.uniform({which_, position_, Purpose::weights, draw_++}); }

 private:
  RngStream stream_;
  std::uint32_t which_;
  std::uint32_t position_ = 1;
  std::uint32_t draw_ = 0;
};

std::vector<double> normalised(std::vector<double> weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  for (double& weight : weights) weight /= total;
  return weights;
}

/// Tokens from the root, exclusive, to `node`.
Tokens path_tokens(const TokenTree& tree, TokenTree::Node node) {
  Tokens tokens;
  for (; node != 0; node = tree[node].parent) tokens.push_back(tree[node].token);
  return {tokens.rbegin(), tokens.rend()};
}

std::vector<double> point_mass_at_max(const std::vector<double>& law) {
  std::vector<double> certain(law.size(), 0.0);
  certain[static_cast<std::size_t>(std::max_element(law.begin(), law.end()) - law.begin())] = 1.0;
  return certain;
}

/// Children of one node of the shape.
std::size_t num_children(const TreeShape& shape, int node) {
  return static_cast<std::size_t>(std::count(shape.parents().begin(), shape.parents().end(), node));
}

/// The `count` most likely tokens, as an arg-max drafter proposes them.
Tokens most_likely(std::vector<double> law, std::size_t count) {
  Tokens tokens;
  while (tokens.size() < std::min(count, law.size())) {
    const auto best = std::max_element(law.begin(), law.end());
    tokens.push_back(static_cast<Token>(best - law.begin()));
    *best = -1.0;
  }
  return tokens;
}

}  // namespace

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<double> SmallWorld::law(const Tokens& prefix, LawKind kind, std::uint32_t which) const {
  PrefixStream stream(options_.seed, prefix, which);
  std::vector<double> weights(static_cast<std::size_t>(options_.vocab_size));
  for (double& weight : weights) weight = 0.05 - std::log(1.0 - stream.next());
  const auto pick = [&] { return static_cast<std::size_t>(stream.next() * options_.vocab_size); };
  switch (kind) {
    case LawKind::random:
      break;
    case LawKind::with_zeros: {
      const std::size_t kept = pick();
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (stream.next() < 0.5 && i != kept) weights[i] = 0.0;
      break;
    }
    case LawKind::ties:
      for (double& weight : weights) weight = std::ceil(stream.next() * 2.0);
      weights[pick()] = 2.0;
      break;
    case LawKind::point_mass: {
      const std::size_t certain = pick();
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i == certain ? 1.0 : 0.0;
      break;
    }
    case LawKind::tiny_tail:
      weights[pick()] = 1e-30;
      break;
  }
  if (options_.relation == Relation::disjoint)
    for (std::size_t i = which == 0 ? 1 : 0; i < weights.size(); i += 2) weights[i] = 0.0;
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0.0; }))
    weights[which] = 1.0;
  return normalised(weights);
}

std::map<Tokens, double> SmallWorld::target_joint_law(const Tokens& prefix,
                                                      std::size_t count) const {
  std::map<Tokens, double> law{{{}, 1.0}};
  for (std::size_t i = 0; i < count; ++i) {
    std::map<Tokens, double> longer;
    for (const auto& [tokens, probability] : law) {
      const std::vector<double> next = target(joined(prefix, tokens));
      for (std::size_t token = 0; token < next.size(); ++token)
        if (next[token] > 0.0)
          longer[joined(tokens, {static_cast<Token>(token)})] += probability * next[token];
    }
    law = std::move(longer);
  }
  return law;
}

template <typename Scalar>
BasicLaw<Scalar> law_of(const std::vector<double>& probabilities) {
  std::vector<LawEntry<Scalar>> entries;
  std::vector<Scalar> values;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    values.push_back(static_cast<Scalar>(probabilities[i]));
    if (probabilities[i] > 0.0) entries.push_back({static_cast<Token>(i), values.back()});
  }
  if (entries.size() == 1) return BasicLaw<Scalar>::point_mass(values.size(), entries[0].token);
  if (entries.size() < values.size()) return BasicLaw<Scalar>::sparse(values.size(), entries);
  return BasicLaw<Scalar>::dense(std::move(values));
}

/// Siblings as the draft's kind says: independently of each other, or without replacement.
template <typename Scalar, ChanceSource Chance>
static void draw_tokens(const BasicDraft<Scalar>& draft, TokenTree::Node parent, std::size_t count,
                        const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                        Tokens& tokens) {
  StreamKey first = draft_key(key, draft.tree[parent].depth, draft.tree.size());
  if (draft.draw_kind != DrawKind::sampled)
    return sample_without_replacement(draft.law_at(parent), count, first, chance, scratch, tokens);
  tokens.clear();
  for (; tokens.size() < count; ++first.draw)
    tokens.push_back(sample(draft.law_at(parent), first, chance, scratch));
}

/// The rounds of one world, shape and rule. Every law and every round of a prefix is made once.
template <typename Scalar>
class Rounds {
 public:
  Rounds(const SmallWorld& world, const TreeShape& shape, DrawKind kind, const Rule<Scalar>& rule)
      : world_(world), shape_(shape), kind_(kind), rule_(rule) {}

  const std::map<Tokens, double>& block_law(const Tokens& prefix) {
    const auto [found, is_new] = blocks_.try_emplace(prefix);
    if (is_new) enumerate(prefix, found->second);
    return found->second;
  }

  const std::map<Tokens, double>& emitted_law(const Tokens& prefix, std::size_t count) {
    const auto [found, is_new] = emitted_.try_emplace({prefix, count});
    if (is_new) add_emitted(prefix, count, found->second);
    return found->second;
  }

  /// Accepted tokens of the round after no prefix.
  double mean_accepted() {
    double mean = 0.0;
    visit_verdicts({}, {}, [&](const auto&, const Verdict& verdict, double probability) {
      mean += probability * static_cast<double>(verdict.accepted.size());
    });
    return mean;
  }

 private:
  struct DraftLaw {
    std::vector<double> probabilities;
    BasicLaw<Scalar> law;  ///< that is drawn from
  };

  void enumerate(const Tokens& prefix, std::map<Tokens, double>& blocks) {
    const auto length = static_cast<std::uint32_t>(prefix.size());
    visit_verdicts(prefix, {0, length, length},
                   [&](const TokenTree& tree, const Verdict& verdict, double probability) {
                     Tokens block = verdict.accepted.empty()
                                        ? Tokens{}
                                        : path_tokens(tree, verdict.accepted.back());
                     block.push_back(verdict.next);
                     blocks[block] += probability;
                   });
  }

  void add_emitted(const Tokens& prefix, std::size_t count, std::map<Tokens, double>& law) {
    for (const auto& [whole, probability] : block_law(prefix)) {
      const Tokens block(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(whole.size(), count)));
      if (block.size() == count) {
        law[block] += probability;
        continue;
      }
      for (const auto& [rest, rest_probability] :
           emitted_law(joined(prefix, block), count - block.size()))
        law[joined(block, rest)] += probability * rest_probability;
    }
  }

  /// Calls visit(tree, verdict, probability) for every path of a round.
  template <typename Visit>
  void visit_verdicts(const Tokens& prefix, const RoundKey& key, Visit visit) {
    ForkingChance forks;
    CountingChance chance(forks);
    Verdict verdict;
    do {
      chance.clear();
      const auto draft = draw_draft(prefix, key, chance);
      const TargetLaws<Scalar> laws = [&](TokenTree::Node node) -> const BasicLaw<Scalar>& {
        return target(joined(prefix, path_tokens(draft.tree, node)));
      };
      rule_(draft, laws, key, chance, verdict);
      visit(draft.tree, verdict, forks.probability());
    } while (forks.next_path());
  }

  /// Draws a tree of the shape from the world's draft laws, cut where a law runs out of tokens.
  template <ChanceSource Chance>
  BasicDraft<Scalar> draw_draft(const Tokens& prefix, const RoundKey& key, Chance& chance) {
    BasicDraft<Scalar> draft;
    draft.reset(0, kind_);
    std::vector<Scalar> scratch;
    Tokens tokens;
    std::map<int, TokenTree::Node> drawn{{0, 0}};  // node of the shape -> node of the draft
    for (int node = 0; node <= shape_.num_nodes(); ++node) {
      const std::size_t count = num_children(shape_, node);
      if (!drawn.contains(node) || count == 0) continue;
      const TokenTree::Node parent = drawn[node];
      const DraftLaw& law = draft_law(joined(prefix, path_tokens(draft.tree, parent)));
      draft.law_for(parent) = law.law;
      if (kind_ == DrawKind::arg_max)
        tokens = most_likely(law.probabilities, count);
      else
        draw_tokens(draft, parent, count, key, chance, scratch, tokens);
      int child =
          static_cast<int>(std::find(shape_.parents().begin(), shape_.parents().end(), node) -
                           shape_.parents().begin()) +
          1;
      for (const Token token : tokens) drawn[child++] = draft.add(parent, token);
    }
    return draft;
  }

  const BasicLaw<Scalar>& target(const Tokens& text) {
    const auto [found, is_new] = targets_.try_emplace(text);
    if (is_new) found->second = law_of<Scalar>(world_.target(text));
    return found->second;
  }

  const DraftLaw& draft_law(const Tokens& text) {
    const auto [found, is_new] = drafts_.try_emplace(text);
    if (is_new) {
      const std::vector<double> law = world_.draft(text);
      found->second = {law,
                       law_of<Scalar>(kind_ == DrawKind::arg_max ? point_mass_at_max(law) : law)};
    }
    return found->second;
  }

  const SmallWorld& world_;
  const TreeShape& shape_;
  DrawKind kind_;
  const Rule<Scalar>& rule_;
  std::map<Tokens, BasicLaw<Scalar>> targets_;
  std::map<Tokens, DraftLaw> drafts_;
  std::map<Tokens, std::map<Tokens, double>> blocks_;
  std::map<std::pair<Tokens, std::size_t>, std::map<Tokens, double>> emitted_;
};

template <typename Scalar>
std::map<Tokens, double> block_law(const SmallWorld& world, const Tokens& prefix,
                                   const TreeShape& shape, DrawKind kind,
                                   const Rule<Scalar>& rule) {
  return Rounds<Scalar>(world, shape, kind, rule).block_law(prefix);
}

template <typename Scalar>
std::map<Tokens, double> emitted_law(const SmallWorld& world, const Tokens& prefix,
                                     std::size_t count, const TreeShape& shape, DrawKind kind,
                                     const Rule<Scalar>& rule) {
  return Rounds<Scalar>(world, shape, kind, rule).emitted_law(prefix, count);
}

double mean_accepted(const SmallWorld& world, const TreeShape& shape, DrawKind kind,
                     const Rule<double>& rule) {
  return Rounds<double>(world, shape, kind, rule).mean_accepted();
}

/// Calls visit(|a - b|) for the tokens of either law.
template <typename Visit>
static void visit_differences(const std::map<Tokens, double>& a, const std::map<Tokens, double>& b,
                              Visit visit) {
  for (const auto& [tokens, probability] : a)
    visit(std::abs(probability - (b.contains(tokens) ? b.at(tokens) : 0.0)));
  for (const auto& [tokens, probability] : b)
    if (!a.contains(tokens)) visit(probability);
}

double max_difference(const std::map<Tokens, double>& a, const std::map<Tokens, double>& b) {
  double largest = 0.0;
  visit_differences(a, b, [&](double difference) { largest = std::max(largest, difference); });
  return largest;
}

double total_variation(const std::map<Tokens, double>& a, const std::map<Tokens, double>& b) {
  double total = 0.0;
  visit_differences(a, b, [&](double difference) { total += 0.5 * difference; });
  return total;
}

double total_mass(const std::map<Tokens, double>& law) {
  double total = 0.0;
  for (const auto& [tokens, probability] : law) total += probability;
  return total;
}

template BasicLaw<float> law_of<float>(const std::vector<double>&);
template BasicLaw<double> law_of<double>(const std::vector<double>&);
template std::map<Tokens, double> block_law<float>(const SmallWorld&, const Tokens&,
                                                   const TreeShape&, DrawKind, const Rule<float>&);
template std::map<Tokens, double> block_law<double>(const SmallWorld&, const Tokens&,
                                                    const TreeShape&, DrawKind,
                                                    const Rule<double>&);
template std::map<Tokens, double> emitted_law<float>(const SmallWorld&, const Tokens&, std::size_t,
                                                     const TreeShape&, DrawKind,
                                                     const Rule<float>&);
template std::map<Tokens, double> emitted_law<double>(const SmallWorld&, const Tokens&, std::size_t,
                                                      const TreeShape&, DrawKind,
                                                      const Rule<double>&);

}  // namespace speclab::testing
