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

/// Draws a tree of `shape` from the world's draft laws, cut where a law runs out of tokens.
template <typename Scalar, ChanceSource Chance>
static BasicDraft<Scalar> draw_draft(const SmallWorld& world, const Tokens& prefix,
                                     const TreeShape& shape, DrawKind kind, const RoundKey& key,
                                     Chance& chance) {
  BasicDraft<Scalar> draft;
  draft.reset(0, kind);
  std::vector<Scalar> scratch;
  Tokens tokens;
  std::map<int, TokenTree::Node> drawn{{0, 0}};  // node of the shape -> node of the draft
  for (int node = 0; node <= shape.num_nodes(); ++node) {
    const std::size_t count = num_children(shape, node);
    if (!drawn.contains(node) || count == 0) continue;
    const TokenTree::Node parent = drawn[node];
    const std::vector<double> law = world.draft(joined(prefix, path_tokens(draft.tree, parent)));
    draft.law_for(parent) =
        law_of<Scalar>(kind == DrawKind::arg_max ? point_mass_at_max(law) : law);
    if (kind == DrawKind::arg_max)
      tokens = most_likely(law, count);
    else
      draw_tokens(draft, parent, count, key, chance, scratch, tokens);
    int child = static_cast<int>(std::find(shape.parents().begin(), shape.parents().end(), node) -
                                 shape.parents().begin()) +
                1;
    for (const Token token : tokens) drawn[child++] = draft.add(parent, token);
  }
  return draft;
}

template <typename Scalar>
std::map<Tokens, double> block_law(const SmallWorld& world, const Tokens& prefix,
                                   const TreeShape& shape, DrawKind kind,
                                   const Rule<Scalar>& rule) {
  std::map<Tokens, double> blocks;
  ForkingChance forks;
  CountingChance chance(forks);
  Verdict verdict;
  const RoundKey key{0, static_cast<std::uint32_t>(prefix.size()),
                     static_cast<std::uint32_t>(prefix.size())};
  do {
    chance.clear();
    const auto draft = draw_draft<Scalar>(world, prefix, shape, kind, key, chance);
    BasicLaw<Scalar> law;
    const TargetLaws<Scalar> laws = [&](TokenTree::Node node) -> const BasicLaw<Scalar>& {
      return law = law_of<Scalar>(world.target(joined(prefix, path_tokens(draft.tree, node))));
    };
    rule(draft, laws, key, chance, verdict);
    Tokens block =
        verdict.accepted.empty() ? Tokens{} : path_tokens(draft.tree, verdict.accepted.back());
    block.push_back(verdict.next);
    blocks[block] += forks.probability();
  } while (forks.next_path());
  return blocks;
}

template <typename Scalar>
std::map<Tokens, double> emitted_law(const SmallWorld& world, const Tokens& prefix,
                                     std::size_t count, const TreeShape& shape, DrawKind kind,
                                     const Rule<Scalar>& rule) {
  std::map<Tokens, double> law;
  for (const auto& [whole, probability] : block_law(world, prefix, shape, kind, rule)) {
    const Tokens block(whole.begin(),
                       whole.begin() + static_cast<std::ptrdiff_t>(std::min(whole.size(), count)));
    if (block.size() == count) {
      law[block] += probability;
      continue;
    }
    for (const auto& [rest, rest_probability] :
         emitted_law(world, joined(prefix, block), count - block.size(), shape, kind, rule))
      law[joined(block, rest)] += probability * rest_probability;
  }
  return law;
}

double mean_accepted(const SmallWorld& world, const TreeShape& shape, DrawKind kind,
                     const Rule<double>& rule) {
  double mean = 0.0;
  ForkingChance forks;
  CountingChance chance(forks);
  Verdict verdict;
  do {
    chance.clear();
    const auto draft = draw_draft<double>(world, {}, shape, kind, {}, chance);
    BasicLaw<double> law;
    const TargetLaws<double> laws = [&](TokenTree::Node node) -> const BasicLaw<double>& {
      return law = law_of<double>(world.target(path_tokens(draft.tree, node)));
    };
    rule(draft, laws, {}, chance, verdict);
    mean += forks.probability() * static_cast<double>(verdict.accepted.size());
  } while (forks.next_path());
  return mean;
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
