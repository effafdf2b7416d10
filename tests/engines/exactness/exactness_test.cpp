// COR-1: the joint law of what every lossless rule emits, behind every processor, enumerated over
// more than 20,000 cases, and the accepted lengths against recursions that share no code with the
// rules.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "engines/sampling/stop_rules.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/support/named_rules.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// A tree, the largest vocabulary that it is tried with, and the number of tokens whose joint law
/// is compared.
struct Shape {
  const char* text;
  int most_vocab;
  std::size_t count;
};
const std::vector<Shape> kChains{{"chain", 5, 2}, {"1", 5, 2}, {"1", 3, 3}, {"2", 4, 2},
                                 {"2", 3, 3},     {"3", 2, 4}, {"3", 3, 2}};
const std::vector<Shape> kTrees{
    {"parents:0,0", 4, 2}, {"parents:0,0,1", 3, 2}, {"parents:0,0,1,2", 2, 3},
    {"2x2", 2, 2},         {"2x2", 3, 1},           {"3x1", 3, 1}};

/// Chains for the rules whose name speaks of none, trees for the others.
const std::vector<Shape>& shapes_of(const std::string& verifier) {
  return verifier.starts_with("tree") || verifier == "several_drafts" ? kTrees : kChains;
}

DrawKind draw_kind_of(const std::string& verifier) {
  return verifier == "point_mass" ? DrawKind::arg_max
                                  : draw_kind_for(verifier, &shapes_of(verifier) == &kChains);
}

const std::vector<SamplingOptions>& settings() {
  static const std::vector<SamplingOptions> all{{},
                                                {.temperature = 0.5},
                                                {.temperature = 2},
                                                {.top_k = 1},
                                                {.top_k = 2},
                                                {.top_p = 0.3},
                                                {.top_p = 0.9},
                                                {.temperature = 0.5, .top_k = 2, .top_p = 0.9},
                                                {.min_p = 0.3},
                                                {.repetition_penalty = 1.3},
                                                {.no_repeat_ngram_size = 2},
                                                {.min_length = 3, .eos_token_ids = {0}},
                                                {.suppress_tokens = {1}},
                                                {.typical_p = 0.6},
                                                {.epsilon_cutoff = 0.2},
                                                {.eta_cutoff = 0.3}};
  return all;
}

/// The world's laws behind the processors. Where those leave no token, the law as it is: on both
/// sides.
SmallWorld::Options processed(SmallWorld::Options world, const SamplingOptions& sampling) {
  world.process = [sampling](const Tokens& prefix, const std::vector<double>& law) {
    std::vector<double> logits;
    for (const double p : law)
      logits.push_back(p > 0 ? std::log(p) : -std::numeric_limits<double>::infinity());
    BasicLaw<double> result;
    try {
      BasicLogitsPipeline<double>(sampling).law(logits, prefix, result);
    } catch (const ConfigError&) {
      return law;
    }
    std::vector<double> probabilities;
    for (Token token = 0; static_cast<std::size_t>(token) < law.size(); ++token)
      probabilities.push_back(result[token]);
    return probabilities;
  };
  return world;
}

/// Pairs of laws: alike, without a common token, with zeros on either side, ties, certainties,
/// tails.
std::vector<SmallWorld::Options> worlds(int vocab_size, std::uint64_t seed) {
  const auto pair = [&](LawKind target, LawKind draft, Relation relation = Relation::independent) {
    return SmallWorld::Options{.vocab_size = vocab_size,
                               .target_kind = target,
                               .draft_kind = draft,
                               .seed = seed,
                               .relation = relation};
  };
  return {pair(LawKind::random, LawKind::random),
          pair(LawKind::random, LawKind::random, Relation::equal),
          pair(LawKind::random, LawKind::random, Relation::disjoint),
          pair(LawKind::with_zeros, LawKind::with_zeros),
          pair(LawKind::ties, LawKind::ties),
          pair(LawKind::point_mass, LawKind::random),
          pair(LawKind::random, LawKind::point_mass),
          pair(LawKind::tiny_tail, LawKind::tiny_tail)};
}

constexpr std::uint64_t kSeeds = 2;

/// Calls visit(shape, world, sampling) for every case of a rule.
template <typename Visit>
void visit_cases(const std::string& verifier, Visit visit) {
  for (const Shape& shape : shapes_of(verifier))
    for (int vocab_size = 2; vocab_size <= shape.most_vocab; ++vocab_size)
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        for (const SmallWorld::Options& world : worlds(vocab_size, seed))
          for (SamplingOptions sampling : settings()) {
            if (verifier == "greedy") sampling.temperature = 0;
            visit(shape, world, sampling);
          }
}

class JointLaw : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, JointLaw, ::testing::ValuesIn(kLosslessVerifierKinds),
                         [](const auto& named) { return std::string(named.param); });

TEST_P(JointLaw, IsTheTargetsBehindEveryProcessor) {
  int at = 0;
  const auto verify = rule_named<double>(GetParam());
  visit_cases(GetParam(), [&](const Shape& shape, const SmallWorld::Options& options,
                              const SamplingOptions& sampling) {
    const SmallWorld world(processed(options, sampling));
    const auto law = emitted_law(world, {}, shape.count, TreeShape::parse(shape.text, 0),
                                 draw_kind_of(GetParam()), verify);
    EXPECT_LE(max_difference(law, world.target_joint_law({}, shape.count)), 1e-12)
        << shape.text << ", case " << at;
    EXPECT_NEAR(total_mass(law), 1.0, 1e-12) << shape.text << ", case " << at;
    ++at;
  });
  RecordProperty("cases", at);
}

TEST(JointLawCases, AreMoreThanTwentyThousand) {
  int cases = 0;
  for (const char* verifier : kLosslessVerifierKinds)
    visit_cases(verifier, [&](auto&&...) { ++cases; });
  EXPECT_GE(cases, 20'000);
}

/// Whole outputs under the shipping stop rules: rounds from a prefix until a rule ends the
/// sequence, be it within a block.
class StoppedLaw {
 public:
  StoppedLaw(const SmallWorld& world, const TreeShape& shape, const std::string& verifier,
             const StopOptions& stop, std::shared_ptr<const Tokenizer> tokenizer)
      : world_(world),
        shape_(shape),
        kind_(draw_kind_for(verifier, shape.depth() == shape.num_nodes())),
        rule_(rule_named<double>(verifier)),
        stop_(stop),
        tokenizer_(std::move(tokenizer)) {}

  const std::map<Tokens, double>& of_rounds() {
    extend({}, 1.0,
           [&](const Tokens& output) { return block_law(world_, output, shape_, kind_, rule_); });
    return law_;
  }
  const std::map<Tokens, double>& of_plain_decoding() {
    extend({}, 1.0, [&](const Tokens& output) { return world_.target_joint_law(output, 1); });
    return law_;
  }

 private:
  /// As much of the output and the block as the stop rules let stand. @return whether they end it
  bool append(Tokens& output, const Tokens& block) const {
    StopRules rules(stop_, tokenizer_);
    rules.begin();
    const Tokens all = joined(output, block);
    output.clear();
    for (const Token token : all) {
      StopReason reason;
      output.push_back(token);
      if (rules.ends_with(token, reason)) return true;
    }
    return false;
  }

  template <typename NextBlocks>
  void extend(const Tokens& output, double probability, const NextBlocks& next_blocks) {
    for (const auto& [block, block_probability] : next_blocks(output)) {
      Tokens longer = output;
      if (append(longer, block))
        law_[longer] += probability * block_probability;
      else
        extend(longer, probability * block_probability, next_blocks);
    }
  }

  const SmallWorld& world_;
  TreeShape shape_;
  DrawKind kind_;
  Rule<double> rule_;
  StopOptions stop_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::map<Tokens, double> law_;
};

/// Every rule that draws.
class StoppedJointLaw : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, StoppedJointLaw,
                         ::testing::ValuesIn(kLosslessVerifierKinds.begin() + 1,
                                             kLosslessVerifierKinds.end()),
                         [](const auto& named) { return std::string(named.param); });

/// Ends, stop strings and length limits cut a block at each of its positions.
TEST_P(StoppedJointLaw, IsTheTargetsWhereverASequenceEnds) {
  const std::string verifier = GetParam();
  const bool takes_chains = &shapes_of(verifier) == &kChains;
  const auto letters = [](Token end) { return std::make_shared<testing::LetterTokenizer>(3, end); };
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (const char* shape :
         takes_chains ? std::vector{"1", "2", "3"} : std::vector{"parents:0,0", "parents:0,0,1,2"})
      for (const SmallWorld& world :
           {SmallWorld({2, LawKind::random, LawKind::random, seed}),
            SmallWorld({2, LawKind::with_zeros, LawKind::tiny_tail, seed})})
        for (int limit = 1; limit <= 4; ++limit)
          for (const auto& [end, strings] : std::vector<std::pair<Token, std::vector<std::string>>>{
                   {-1, {}}, {0, {}}, {1, {}}, {-1, {"ab"}}, {-1, {"ba", "bb"}}}) {
            const StopOptions stop{.max_new_tokens = limit, .stop_strings = strings};
            const auto law =
                StoppedLaw(world, TreeShape::parse(shape, 0), verifier, stop, letters(end))
                    .of_rounds();
            EXPECT_LE(max_difference(
                          law, StoppedLaw(world, TreeShape::chain(0), verifier, stop, letters(end))
                                   .of_plain_decoding()),
                      1e-12)
                << shape << ", seed " << seed << ", limit " << limit << ", end " << end << ", "
                << strings.size() << " stop strings";
            EXPECT_NEAR(total_mass(law), 1.0, 1e-12);
          }
}

/// Mean accepted length of a chain whose drafts x are accepted with probability odds(p(x), q(x)),
/// whatever came before.
template <typename Odds>
double expected_accepted(const SmallWorld& world, const Tokens& prefix, int length, Odds odds) {
  if (length == 0) return 0.0;
  const std::vector<double> p = world.target(prefix), q = world.draft(prefix);
  double mean = 0.0;
  for (std::size_t x = 0; x < p.size(); ++x) {
    if (p[x] * q[x] == 0.0) continue;
    Tokens longer = prefix;
    longer.push_back(static_cast<Token>(x));
    mean += q[x] * odds(p[x], q[x]) * (1.0 + expected_accepted(world, longer, length - 1, odds));
  }
  return mean;
}

double accepted_of_chain(const SmallWorld& world, int length, const Rule<double>& rule) {
  return mean_accepted(world, TreeShape::chain(length), DrawKind::sampled, rule);
}

TEST(AcceptedLength, IsThatOfAnIndependentRecursion) {
  const auto ratio = [](double p, double q) { return std::min(1.0, p / q); };
  const auto match = [](double p, double) { return p; };
  for (int vocab_size = 2; vocab_size <= 4; ++vocab_size)
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (const SmallWorld::Options& options : worlds(vocab_size, seed)) {
        const SmallWorld world(options);
        for (const int length : {1, 2, 3}) {
          EXPECT_NEAR(accepted_of_chain(world, length, rule_named<double>("rejection")),
                      expected_accepted(world, {}, length, ratio), 1e-12);
          EXPECT_NEAR(accepted_of_chain(world, length, rule_named<double>("sample_and_match")),
                      expected_accepted(world, {}, length, match), 1e-12);
          EXPECT_NEAR(accepted_of_chain(world, length, rule_named<double>("point_mass")),
                      expected_accepted(world, {}, length, match), 1e-12);
        }
        double distance = 0.0;
        const std::vector<double> p = world.target({}), q = world.draft({});
        for (std::size_t x = 0; x < p.size(); ++x) distance += 0.5 * std::abs(p[x] - q[x]);
        EXPECT_NEAR(accepted_of_chain(world, 1, rule_named<double>("rejection")), 1.0 - distance,
                    1e-12)
            << "one minus the total variation";
      }
}

}  // namespace
}  // namespace speclab::engines
