// The law of constrained sampling, enumerated: the product of the model's conditionals, each scaled
// up to 1 over what the constraint allows, whatever is drafted.

#include <gtest/gtest.h>

#include "engines/interface/names.h"
#include "tests/engines/constraints/masked_world.h"
#include "tests/engines/exactness/decoder_law.h"
#include "tests/support/named_rules.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;
using testing::MaskedWords;

const std::vector<std::string> kWords{"</s>", "a", "b", "ab"};
constexpr const char* kRegexes[] = {"(ab|b)a*", "a?b{2}", "abab", "[ab]{0,2}"};

/// Joint law of the next tokens of locally renormalised conditionals, written out.
void follow(const MaskedWords& words, const SmallWorld& world, const Tokens& text, double p,
            std::size_t count, std::map<Tokens, double>& law) {
  if (text.size() == count) {
    law[text] += p;
    return;
  }
  const std::vector<double> next = words.renormalised(text, world.target(joined({1}, text)));
  for (Token token = 0; token < words.vocab_size(); ++token)
    if (const double q = next[static_cast<std::size_t>(token)]; q > 0)
      follow(words, world, joined(text, {token}), p * q, count, law);
}

SamplingOptions masked(const MaskedWords& words) {
  SamplingOptions sampling;
  sampling.rules.mask = words.mask();
  sampling.rules.set_lengths(1, 3);
  return sampling;
}

/// Greedy draws nothing.
std::vector<const char*> drawing_rules() {
  std::vector<const char*> rules(kLosslessVerifierKinds.begin(), kLosslessVerifierKinds.end());
  std::erase_if(rules, [](std::string_view rule) { return rule == "greedy"; });
  return rules;
}

class ConstrainedLaw : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ConstrainedLaw, ::testing::ValuesIn(drawing_rules()),
                         [](const auto& named) { return std::string(named.param); });

/// Defect: a mask that knows the committed text alone, or counts the prompt as text; a draft
/// without a mask whose law is reported with one.
TEST_P(ConstrainedLaw, IsTheProductOfRenormalisedConditionals) {
  const std::string verifier = GetParam();
  const bool is_chain = !verifier.starts_with("tree") && verifier != "several_drafts";
  const DrawKind kind =
      verifier == "point_mass" ? DrawKind::arg_max : draw_kind_for(verifier, is_chain);
  for (const char* regex : kRegexes) {
    const MaskedWords words(kWords, regex);
    const SmallWorld raw({.vocab_size = words.vocab_size(), .seed = 7});
    std::map<Tokens, double> expected;
    follow(words, raw, {}, 1.0, 3, expected);
    const SmallWorld world({.vocab_size = words.vocab_size(),
                            .seed = 7,
                            .process = testing::masked_by(masked(words))});
    EXPECT_LT(max_difference(world.target_joint_law({1}, 3), expected), 1e-12) << regex;
    const TreeShape shape = TreeShape::parse(is_chain ? "2" : "parents:0,0", 0);
    const auto law = emitted_law(world, {1}, 3, shape, kind, rule_named<double>(verifier));
    EXPECT_LT(max_difference(law, expected), 1e-12) << regex;
    EXPECT_NEAR(total_mass(law), 1.0, 1e-12) << regex;
  }
}

/// Letters a and b, and an end that the tokenizer of decoder cases writes as c.
testing::DecoderCase decoder_case(const char* regex, const char* drafter, const char* tree) {
  testing::DecoderCase example{.name = regex, .options = {}};
  example.end_token = 2;
  example.options.drafter = {.kind = drafter, .tree = tree};
  example.options.verifier =
      std::string_view(tree) == "chain" ? "rejection" : "tree_without_replacement";
  example.options.stop.max_new_tokens = 4;
  const auto letters =
      std::make_shared<testing::WordTokenizer>(std::vector<std::string>{"a", "b", "</s>"});
  TextRules& rules = example.options.sampling.rules;
  rules.mask = regex_constraint(regex)->mask({.tokenizer = letters, .size = 3});
  rules.set_lengths(example.prompts.front().size(), 4);
  return example;
}

/// Defect: forced drafts that change the law, drafts that are taken out of a law without scaling
/// the rest. The tolerance is that of float laws.
TEST(ConstrainedDecoders, HaveTheTargetsLaw) {
  for (const char* regex : {"a(ab|b)a*", "abab", "[ab]{1,3}", "(ab|ba)b?"})
    for (const char* drafter : {"none", "small_transformer", "bigram", "prompt_lookup"})
      for (const char* tree : {"chain", "2x1", "best_first:3"}) {
        const bool draws_trees = drafter_traits(drafter).draws_trees();
        if (!draws_trees && std::string_view(tree) != "chain") continue;
        const testing::LawComparison result =
            testing::compare_laws(decoder_case(regex, drafter, tree));
        EXPECT_NEAR(result.mass, 1.0, 1e-9) << regex << " " << drafter << " " << tree;
        EXPECT_LE(result.max_error, 1e-6) << regex << " " << drafter << " " << tree;
        EXPECT_EQ(result.num_repeated_keys, 0u) << regex << " " << drafter << " " << tree;
      }
}

}  // namespace
}  // namespace speclab::engines
