// The masking shift: a mask scales each conditional up to 1 by itself, so texts have another law
// than the model's own given that the whole text matches. The shift is the total variation between
// the two laws.

#include <gtest/gtest.h>

#include "tests/engines/constraints/masked_world.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;
using testing::MaskedWords;

/// The law of texts, ends included: the model's, or that of its locally renormalised conditionals.
struct TextLaws {
  std::map<Tokens, double> local, given_a_match;
};

/// Makes the masked law behind a text of the model's.
using Masking = std::function<std::vector<double>(const Tokens&, const std::vector<double>&)>;

void follow_both(const Masking& shipping, const SmallWorld& world, const Tokens& text, double local,
                 double own, TextLaws& laws) {
  if (!text.empty() && text.back() == 0) {
    laws.local[text] = local;
    laws.given_a_match[text] = own;
    return;
  }
  const std::vector<double> law = world.target(text), masked = shipping(text, law);
  for (Token token = 0; token < world.vocab_size(); ++token) {
    const auto i = static_cast<std::size_t>(token);
    if (masked[i] > 0)
      follow_both(shipping, world, joined(text, {token}), local * masked[i], own * law[i], laws);
  }
}

double masking_shift(const MaskedWords& words, const SmallWorld& world) {
  TextLaws laws;
  SamplingOptions sampling;
  sampling.rules.mask = words.mask();
  follow_both(testing::masked_by(sampling), world, {}, 1.0, 1.0, laws);
  const double matching = total_mass(laws.given_a_match);
  for (auto& [text, p] : laws.given_a_match) p /= matching;
  EXPECT_NEAR(total_mass(laws.local), 1.0, 1e-12);
  return total_variation(laws.local, laws.given_a_match);
}

const std::vector<std::string> kTwoLetters{"</s>", "a", "b"};

/// A world of laws that a function of the text gives: of the end, of a and of b.
SmallWorld world_of(std::function<std::vector<double>(const Tokens&)> law) {
  return SmallWorld(
      {.vocab_size = 3,
       .process = [law](const Tokens& text, const std::vector<double>&) { return law(text); }});
}

/// The model begins with a or b alike. Behind a it would hardly ever go on as the constraint asks,
/// behind b nearly always: given a match, b is nine times as likely; the mask does not know.
TEST(MaskingShift, IsWhatTheMaskCannotForesee) {
  const MaskedWords words(kTwoLetters, "ab|ba");
  const SmallWorld world = world_of([](const Tokens& text) -> std::vector<double> {
    if (text.empty()) return {0.0, 0.5, 0.5};
    if (text.size() == 2) return {1.0, 0.0, 0.0};
    return text[0] == 1 ? std::vector{0.0, 0.9, 0.1} : std::vector{0.0, 0.9, 0.1};
  });
  EXPECT_NEAR(masking_shift(words, world), 0.4, 1e-12);
}

TEST(MaskingShift, IsThereInRandomWorlds) {
  for (const char* regex : {"ab|ba", "a(a|b)b|b", "a{1,3}"})
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      EXPECT_GT(masking_shift(MaskedWords(kTwoLetters, regex), SmallWorld({.seed = seed})), 1e-3)
          << regex << " " << seed;
}

/// Defect: a mask that changes laws of which it takes nothing.
TEST(MaskingShift, IsNoneWhereTheMaskTakesNothing) {
  const MaskedWords words(kTwoLetters, "[ab]{2}");
  const SmallWorld random({.seed = 3});
  const SmallWorld world = world_of([&](const Tokens& text) -> std::vector<double> {
    if (text.size() == 2) return {1.0, 0.0, 0.0};
    const std::vector<double> law = random.target(text);
    return {0.0, law[1] / (law[1] + law[2]), law[2] / (law[1] + law[2])};
  });
  EXPECT_NEAR(masking_shift(words, world), 0.0, 1e-12);
}

/// The mask takes the same share behind every text, and all matches have one length.
TEST(MaskingShift, IsNoneWhereEveryWayLosesTheSame) {
  const MaskedWords words(kTwoLetters, "[ab]{2}");
  const SmallWorld world = world_of([](const Tokens&) { return std::vector{0.25, 0.5, 0.25}; });
  EXPECT_NEAR(masking_shift(words, world), 0.0, 1e-12);
}

}  // namespace
}  // namespace speclab::engines
