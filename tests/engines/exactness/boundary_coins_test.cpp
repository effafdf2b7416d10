// COR-5: whatever the uniforms, no rule emits a token that the target cannot say or that is none,
// at vocabularies around every block size, with mass in odd places.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engines/interface/names.h"
#include "sim/core/law_sampling.h"
#include "tests/support/named_rules.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// Decides by uniforms that lie where rounding matters: 0, the smallest steps, one less the
/// smallest step, and just beside the threshold of a coin.
class EdgeChance final : public Chance {
 public:
  explicit EdgeChance(std::uint32_t seed) : random_(seed) {}

  bool bernoulli(const StreamKey&, double probability) override {
    const double edges[] = {0.0,
                            0x1p-53,
                            0x1p-32,
                            0x1p-24,
                            1.0 - 0x1p-24,
                            1.0 - 0x1p-53,
                            probability,
                            std::nextafter(probability, 0.0),
                            std::nextafter(probability, 2.0)};
    return decided(edges[random_() % std::size(edges)]).bernoulli({}, probability);
  }
  std::size_t categorical(const StreamKey&, const Weights<float>& weights) override {
    return decided(edge()).categorical({}, weights);
  }
  std::size_t categorical(const StreamKey&, const Weights<double>& weights) override {
    return decided(edge()).categorical({}, weights);
  }

 private:
  class Fixed final : public InversionChance {
   public:
    double value = 0.0;

   private:
    double uniform(const StreamKey&) override { return value; }
  };

  double edge() {
    const double edges[] = {0.0, 0x1p-53, 0x1p-32, 0x1p-24, 0.5, 1.0 - 0x1p-24, 1.0 - 0x1p-53};
    return edges[random_() % std::size(edges)];
  }
  Chance& decided(double uniform) {
    fixed_.value = std::min(uniform, 1.0 - 0x1p-53);
    return fixed_;
  }

  std::mt19937 random_;
  Fixed fixed_;
};

/// Where a law has its mass.
enum class Mass { everywhere, last_token, all_but_the_last_block, odd_tokens, tiny_and_one };

std::vector<float> probabilities(std::size_t vocab_size, Mass mass, std::mt19937& random) {
  std::vector<float> values(vocab_size, 0.0f);
  const auto draw = [&] { return -std::log(static_cast<float>(random() % 65535 + 1) / 65536.0f); };
  const std::size_t last_block = vocab_size > 16 ? (vocab_size - 1) / 16 * 16 : vocab_size;
  for (std::size_t i = 0; i < vocab_size; ++i) {
    const bool has = mass == Mass::everywhere ||
                     (mass == Mass::last_token && i + 1 == vocab_size) ||
                     (mass == Mass::all_but_the_last_block && i < last_block) ||
                     (mass == Mass::odd_tokens && (i % 2 == 1 || vocab_size == 1));
    if (has) values[i] = draw();
    if (mass == Mass::tiny_and_one) values[i] = i == vocab_size / 2 ? 1.0f : 1e-38f;
  }
  double total = 0.0;
  for (const float value : values) total += static_cast<double>(value);
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) / total);
  return values;
}

/// One round of every rule over a chain of two tokens or two siblings. @return rounds
int check_rules(std::size_t vocab_size, std::mt19937& random) {
  constexpr Mass kMasses[] = {Mass::everywhere, Mass::last_token, Mass::all_but_the_last_block,
                              Mass::odd_tokens, Mass::tiny_and_one};
  const BasicLaw<float> p =
      BasicLaw<float>::dense(probabilities(vocab_size, kMasses[random() % 5], random));
  const BasicLaw<float> q =
      BasicLaw<float>::dense(probabilities(vocab_size, kMasses[random() % 5], random));
  const TargetLaws<float> laws = [&](TokenTree::Node) -> const BasicLaw<float>& { return p; };
  EdgeChance chance(static_cast<std::uint32_t>(random()));
  std::vector<float> scratch;
  Verdict verdict;
  int rounds = 0;
  for (const char* verifier : kLosslessVerifierKinds) {
    const bool is_chain = random() % 2 == 0 || std::string(verifier) == "block";
    BasicDraft<float> draft;
    draft.reset(0, draw_kind_for(verifier, is_chain));
    draft.law_for(0) = q;
    std::vector<Token> tokens;
    if (draft.draw_kind == DrawKind::sampled)
      for (int i = 0; i < 2; ++i) tokens.push_back(sample(q, {}, chance, scratch));
    else
      sample_without_replacement(q, 2, {}, chance, scratch, tokens);
    draft.add(0, tokens[0]);
    if (is_chain) draft.law_for(1) = q;
    if (tokens.size() > 1) draft.add(is_chain ? 1 : 0, tokens[1]);
    rule_named<float>(verifier)(draft, laws, {}, chance, verdict);
    ++rounds;
    const auto said = [&](Token token) {
      return token >= 0 && static_cast<std::size_t>(token) < vocab_size && p[token] > 0.0f;
    };
    EXPECT_TRUE(said(verdict.next))
        << verifier << " emits " << verdict.next << ", vocabulary " << vocab_size;
    for (const TokenTree::Node node : verdict.accepted)
      EXPECT_TRUE(said(draft.tree[node].token))
          << verifier << " accepts " << draft.tree[node].token << ", vocabulary " << vocab_size;
    if (::testing::Test::HasFailure()) break;
  }
  return rounds;
}

TEST(BoundaryCoins, NeverEmitWhatTheTargetCannotSay) {
  std::mt19937 random(17);
  int rounds = 0;
  for (const std::size_t vocab_size : {1U, 2U, 3U, 5U, 15U, 16U, 17U, 31U, 32U, 33U, 100U})
    for (int i = 0; i < 10'200; ++i) rounds += check_rules(vocab_size, random);
  for (const std::size_t vocab_size :
       {511U, 512U, 513U, 8191U, 8192U, 8193U, 10000U, 32000U, 50257U, 128256U, 151936U})
    for (int i = 0; i < 20; ++i) rounds += check_rules(vocab_size, random);
  EXPECT_GE(rounds, 1'000'000);
}

}  // namespace
}  // namespace speclab::engines
