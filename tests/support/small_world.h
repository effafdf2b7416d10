#pragma once
// Small vocabularies in which everything can be enumerated: random target and draft laws for every
// prefix.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/core/forking_chance.h"
#include "sim/rules/acceptance.h"
#include "tests/support/counting_chance.h"

namespace speclab::testing {

using Tokens = std::vector<Token>;

/// What the laws of a world are like.
enum class LawKind { random, with_zeros, ties, point_mass, tiny_tail };

/// How the draft's laws stand to the target's, beside their kinds.
enum class Relation { independent, equal, disjoint };

inline constexpr LawKind kAllLawKinds[] = {LawKind::random, LawKind::with_zeros, LawKind::ties,
                                           LawKind::point_mass, LawKind::tiny_tail};

/// Target and draft laws of every prefix, fixed by the seed.
class SmallWorld {
 public:
  struct Options {
    int vocab_size = 3;
    LawKind target_kind = LawKind::random;
    LawKind draft_kind = LawKind::random;
    std::uint64_t seed = 0;
    Relation relation = Relation::independent;
    /// What is made of the law of a prefix, the target's and the draft's; nothing if empty.
    std::function<std::vector<double>(const Tokens& prefix, const std::vector<double>& law)>
        process{};
    /// Changes the draft's law alone, behind `process`; nothing if empty.
    std::function<std::vector<double>(const Tokens& prefix, const std::vector<double>& law)>
        process_draft{};
  };

  explicit SmallWorld(const Options& options) : options_(options) {}
  int vocab_size() const { return options_.vocab_size; }
  std::vector<double> target(const Tokens& prefix) const {
    return processed(prefix, law(prefix, options_.target_kind, 0));
  }
  std::vector<double> draft(const Tokens& prefix) const {
    if (options_.relation == Relation::equal) return target(prefix);
    const std::vector<double> draft = processed(prefix, law(prefix, options_.draft_kind, 1));
    return options_.process_draft ? options_.process_draft(prefix, draft) : draft;
  }
  /// The target's joint law of the `count` tokens after `prefix`.
  std::map<Tokens, double> target_joint_law(const Tokens& prefix, std::size_t count) const;

 private:
  std::vector<double> law(const Tokens& prefix, LawKind kind, std::uint32_t which) const;
  std::vector<double> processed(const Tokens& prefix, const std::vector<double>& law) const {
    return options_.process ? options_.process(prefix, law) : law;
  }

  Options options_;
};

/// `probabilities` as a law of the form that suits them: point mass, sparse where there are zeros,
/// else dense.
template <typename Scalar>
BasicLaw<Scalar> law_of(const std::vector<double>& probabilities);

/// A rule under test: fills the verdict of one draft.
template <typename Scalar>
using Rule = std::function<void(const BasicDraft<Scalar>&, const TargetLaws<Scalar>&,
                                const RoundKey&, Chance&, Verdict&)>;

/// Exact law of what one round of (draw a draft of `shape`, apply `rule`) emits after `prefix`. A
/// repeated key throws.
template <typename Scalar>
std::map<Tokens, double> block_law(const SmallWorld& world, const Tokens& prefix,
                                   const TreeShape& shape, DrawKind kind, const Rule<Scalar>& rule);

/// Exact joint law of the next `count` tokens when rounds of (draw a draft of `shape`, apply
/// `rule`) are run from `prefix`.
template <typename Scalar>
std::map<Tokens, double> emitted_law(const SmallWorld& world, const Tokens& prefix,
                                     std::size_t count, const TreeShape& shape, DrawKind kind,
                                     const Rule<Scalar>& rule);

/// Mean accepted tokens of one round of `rule` from the empty prefix.
double mean_accepted(const SmallWorld& world, const TreeShape& shape, DrawKind kind,
                     const Rule<double>& rule);

/// a, then b.
Tokens joined(Tokens a, const Tokens& b);

/// Largest absolute difference between two laws, over the tokens of either.
double max_difference(const std::map<Tokens, double>& a, const std::map<Tokens, double>& b);
/// Half the sum of the absolute differences.
double total_variation(const std::map<Tokens, double>& a, const std::map<Tokens, double>& b);
double total_mass(const std::map<Tokens, double>& law);

}  // namespace speclab::testing
