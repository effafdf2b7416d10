// COR-1: the joint law of what every lossless rule emits, behind every processor, enumerated over more than 20,000 cases, and
// the accepted lengths against recursions that share no code with the rules.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/errors.h"
#include "tests/support/small_world.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

template <typename Verify>
Rule<double> rule(Verify verify) {
  return [verify, scratch = std::vector<double>()](const auto& draft, const auto& laws, const RoundKey& key, auto& chance, Verdict& verdict) mutable {
    verify(draft, laws, key, chance, scratch, verdict);
  };
}

/// A tree, the largest vocabulary that it is tried with, and the number of tokens whose joint law is compared.
struct Shape {
  const char* text;
  int most_vocab;
  std::size_t count;
};
const std::vector<Shape> kChains{{"chain", 5, 2}, {"1", 5, 2}, {"1", 3, 3}, {"2", 4, 2}, {"2", 3, 3}, {"3", 2, 4}, {"3", 3, 2}};
const std::vector<Shape> kTrees{{"parents:0,0", 4, 2}, {"parents:0,0,1", 3, 2}, {"parents:0,0,1,2", 2, 3}, {"2x2", 2, 2}, {"2x2", 3, 1}, {"3x1", 3, 1}};

struct RuleCase {
  Rule<double> rule;
  DrawKind draw_kind;
  std::vector<Shape> shapes;
};

/// The engine's names of its lossless rules, each with what it runs.
std::map<std::string, RuleCase> rule_cases() {
  const auto rejection = rule([](auto&&... a) { verify_rejection(a...); });
  const auto match = rule([](auto&&... a) { verify_sample_and_match(a...); });
  const auto greedy = rule([](const auto& draft, const auto& laws, const RoundKey&, auto&, auto&, Verdict& verdict) { verify_greedy(draft, laws, verdict); });
  return {{"greedy", {greedy, DrawKind::sampled, kChains}},
          {"rejection", {rejection, DrawKind::sampled, kChains}},
          {"sample_and_match", {match, DrawKind::sampled, kChains}},
          {"point_mass", {rule([](auto&&... a) { verify_point_mass(a...); }), DrawKind::arg_max, kChains}},
          {"block", {rule([](auto&&... a) { verify_block(a...); }), DrawKind::sampled, kChains}},
          {"tree_naive", {match, DrawKind::sampled_without_replacement, kTrees}},
          {"tree_multi_round", {rejection, DrawKind::sampled, kTrees}},
          {"tree_without_replacement", {rejection, DrawKind::sampled_without_replacement, kTrees}},
          {"several_drafts", {rule([](auto&&... a) { verify_several_drafts(a...); }), DrawKind::sampled, kTrees}}};
}

const std::vector<SamplingOptions>& settings() {
  static const std::vector<SamplingOptions> all{
      {},
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

/// The world's laws behind the processors. Where those leave no token, the law as it is: on both sides.
SmallWorld::Options processed(SmallWorld::Options world, const SamplingOptions& sampling) {
  world.process = [sampling](const Tokens& prefix, const std::vector<double>& law) {
    std::vector<double> logits;
    for (const double p : law) logits.push_back(p > 0 ? std::log(p) : -std::numeric_limits<double>::infinity());
    BasicLaw<double> result;
    try {
      BasicLogitsPipeline<double>(sampling).law(logits, prefix, result);
    } catch (const ConfigError&) {
      return law;
    }
    std::vector<double> probabilities;
    for (Token token = 0; static_cast<std::size_t>(token) < law.size(); ++token) probabilities.push_back(result[token]);
    return probabilities;
  };
  return world;
}

/// Pairs of laws: alike, without a common token, with zeros on either side, ties, certainties, tails.
std::vector<SmallWorld::Options> worlds(int vocab_size, std::uint64_t seed) {
  const auto pair = [&](LawKind target, LawKind draft, Relation relation = Relation::independent) {
    return SmallWorld::Options{.vocab_size = vocab_size, .target_kind = target, .draft_kind = draft, .seed = seed, .relation = relation};
  };
  return {pair(LawKind::random, LawKind::random), pair(LawKind::random, LawKind::random, Relation::equal), pair(LawKind::random, LawKind::random, Relation::disjoint),
          pair(LawKind::with_zeros, LawKind::with_zeros), pair(LawKind::ties, LawKind::ties), pair(LawKind::point_mass, LawKind::random),
          pair(LawKind::random, LawKind::point_mass), pair(LawKind::tiny_tail, LawKind::tiny_tail)};
}

double error_of(const SmallWorld& world, const Shape& shape, const RuleCase& example) {
  const auto law = emitted_law(world, {}, shape.count, TreeShape::parse(shape.text, 0), example.draw_kind, example.rule);
  return std::max(max_difference(law, world.target_joint_law({}, shape.count)), std::abs(total_mass(law) - 1.0));
}

/// Enumerates all worlds and settings of a rule. @return the number of cases
int check_rule(const std::string& name, const RuleCase& example, std::uint64_t seeds) {
  int cases = 0;
  for (const Shape& shape : example.shapes)
    for (int vocab_size = 2; vocab_size <= shape.most_vocab; ++vocab_size)
      for (std::uint64_t seed = 0; seed < seeds; ++seed)
        for (const SmallWorld::Options& world : worlds(vocab_size, seed))
          for (SamplingOptions sampling : settings()) {
            if (name == "greedy") sampling.temperature = 0;
            const double error = error_of(SmallWorld(processed(world, sampling)), shape, example);
            EXPECT_LE(error, 1e-12) << name << " " << shape.text << ", vocabulary " << vocab_size << ", seed " << seed << ", case " << cases;
            ++cases;
          }
  return cases;
}

TEST(JointLaw, IsTheTargetsForEveryLosslessRuleAndProcessor) {
  const auto examples = rule_cases();
  int cases = 0;
  for (const char* name : kLosslessVerifierKinds) {
    ASSERT_TRUE(examples.contains(name)) << name << " is left out";
    cases += check_rule(name, examples.at(name), 2);
  }
  EXPECT_EQ(examples.size(), kLosslessVerifierKinds.size());
  EXPECT_GE(cases, 20'000);
  RecordProperty("cases", cases);
}

/// Mean accepted length of a chain whose drafts x are accepted with probability odds(p(x), q(x)), whatever came before.
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

TEST(AcceptedLength, IsThatOfAnIndependentRecursion) {
  const auto examples = rule_cases();
  const auto ratio = [](double p, double q) { return std::min(1.0, p / q); };
  const auto match = [](double p, double) { return p; };
  for (int vocab_size = 2; vocab_size <= 4; ++vocab_size)
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (const SmallWorld::Options& options : worlds(vocab_size, seed)) {
        const SmallWorld world(options);
        for (const int length : {1, 2, 3}) {
          EXPECT_NEAR(mean_accepted(world, length, examples.at("rejection").rule), expected_accepted(world, {}, length, ratio), 1e-12);
          EXPECT_NEAR(mean_accepted(world, length, examples.at("sample_and_match").rule), expected_accepted(world, {}, length, match), 1e-12);
          EXPECT_NEAR(mean_accepted(world, length, examples.at("point_mass").rule), expected_accepted(world, {}, length, match), 1e-12);
        }
        double distance = 0.0;
        const std::vector<double> p = world.target({}), q = world.draft({});
        for (std::size_t x = 0; x < p.size(); ++x) distance += 0.5 * std::abs(p[x] - q[x]);
        EXPECT_NEAR(mean_accepted(world, 1, examples.at("rejection").rule), 1.0 - distance, 1e-12) << "one minus the total variation";
      }
}

}  // namespace
}  // namespace speclab::engines
