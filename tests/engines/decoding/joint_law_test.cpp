// At temperature 1 the first tokens of a speculative generation have the target's joint law.
// Pearson's chi-square over the pairs, cells of expectation below 5 pooled. Each case fails a true
// decoder with probability 1e-5; a drafter that reports 0.7 of its law and 0.3 of the flat one is
// found (ReportedOtherwiseIsFound), which bounds the miss rate from below.

#include <gtest/gtest.h>

#include <cmath>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using testing::DrafterCase;
using testing::TinyPair;

constexpr std::int32_t kVocab = 10;
/// The liar below is found with so many, too.
const std::uint32_t kGenerations = speclab::testing::by_size(2000u, 2000u, 6000u);
constexpr double kQuantile = 4.265;  ///< of the normal law at 1 - 1e-5

const std::vector<Token> kPrompt{3, 7, 3};

DecoderShape small_config() {
  DecoderShape config = testing::tiny_config();
  config.vocab_size = kVocab;
  config.num_layers = 1;
  return config;
}

TinyPair& pair() {
  static TinyPair tiny(small_config(), 0.5f, 6.0f);
  return tiny;
}

DecoderOptions options_of(const DrafterCase& drafter) {
  return {.stop = {.max_new_tokens = 4}, .drafter = drafter.options(), .seed = 2};
}

/// p(first) p(second | first), [kVocab * kVocab].
std::vector<double> joint_law() {
  LogitsPipeline pipeline({});
  std::vector<double> joint;
  Law first, second;
  pipeline.law(testing::logits_of(pair().target(), kPrompt).back(), {}, first);
  for (Token a = 0; a < kVocab; ++a) {
    auto text = kPrompt;
    text.push_back(a);
    pipeline.law(testing::logits_of(pair().target(), text).back(), {}, second);
    for (Token b = 0; b < kVocab; ++b)
      joint.push_back(static_cast<double>(first[a]) * static_cast<double>(second[b]));
  }
  return joint;
}

std::vector<double> counts_of(RoundDecoder& decoder,
                              const SpeculationLengthPolicy& policy = ConstantPolicy(3)) {
  std::vector<double> counts(kVocab * kVocab);
  for (std::uint32_t id = 0; id < kGenerations; ++id) {
    const auto tokens = testing::decode(decoder, {{id, kPrompt}}, policy).front().output_ids;
    ++counts[static_cast<std::size_t>(tokens[0] * kVocab + tokens[1])];
  }
  return counts;
}

struct ChiSquare {
  double value = 0;
  int degrees = -1;

  void add(double count, double expected) {
    value += (count - expected) * (count - expected) / expected;
    ++degrees;
  }
  /// Nearly standard normal. @source Wilson & Hilferty 1931
  double normal_score() const {
    const double spread = 2.0 / (9.0 * degrees);
    return (std::cbrt(value / degrees) - 1.0 + spread) / std::sqrt(spread);
  }
};

double normal_score(const std::vector<double>& counts) {
  const auto joint = joint_law();
  ChiSquare chi_square;
  double pooled_count = 0, pooled_expected = 0;
  for (std::size_t cell = 0; cell < joint.size(); ++cell) {
    const double expected = joint[cell] * kGenerations;
    if (expected >= 5) {
      chi_square.add(counts[cell], expected);
    } else {
      pooled_count += counts[cell];
      pooled_expected += expected;
    }
  }
  if (pooled_expected > 0) chi_square.add(pooled_count, pooled_expected);
  EXPECT_GE(chi_square.degrees, 20);
  return chi_square.normal_score();
}

class JointLaw : public ::testing::TestWithParam<DrafterCase> {};

INSTANTIATE_TEST_SUITE_P(, JointLaw, ::testing::ValuesIn(testing::drafter_cases()),
                         [](const auto& named) { return named.param.name; });

TEST_P(JointLaw, IsTheTargetsWhateverDrafts) {
  EXPECT_LT(normal_score(counts_of(*pair().speculative(options_of(GetParam())))), kQuantile);
}

/// Every lossless rule that draws, over every drafter and tree that it takes.
TEST(JointLawOfVerifiers, IsTheTargetsWhateverDrafts) {
  for (const char* verifier : kLosslessVerifierKinds)
    for (const DrafterCase& drafter : testing::drafter_cases()) {
      const bool is_chain = std::string(drafter.tree) == "chain";
      if (std::string(verifier) == "greedy" || (std::string(verifier) == "block" && !is_chain))
        continue;
      DecoderOptions options = options_of(drafter);
      options.verifier = verifier;
      SCOPED_TRACE(std::string(verifier) + ", " + drafter.name);
      EXPECT_LT(normal_score(counts_of(*pair().speculative(options))), kQuantile);
    }
}

TEST(JointLawOfVerifiers, ThatAreLossyIsFoundOut) {
  for (const char* verifier : {"lenient", "typical"}) {
    DecoderOptions options = options_of({"", "small_transformer"});
    options.verifier = verifier;
    options.lossy.lenience = 0.3;
    options.lossy.typical_epsilon = 0.3;
    EXPECT_GT(normal_score(counts_of(*pair().speculative(options))), kQuantile) << verifier;
  }
}

constexpr double kSure = 0.3;

TEST(JointLawOfConfidence, IsTheTargetsWhereTheUnsureTokenIsSubmitted) {
  for (const char* drafter :
       {"bigram", "lookup_ngram", "small_transformer", "mlp_speculator", "lookup_transformer"})
    for (const char* verifier : {"rejection", "block", "sample_and_match"}) {
      DecoderOptions options = options_of({"", drafter});
      options.verifier = verifier;
      EXPECT_LT(normal_score(counts_of(*pair().speculative(options), ConfidencePolicy(kSure, 3))),
                kQuantile)
          << drafter << ", " << verifier;
    }
}

TEST(PlainJointLaw, IsTheTargets) {
  EXPECT_LT(normal_score(counts_of(*pair().plain(options_of({"", "none"})))), kQuantile);
}

/// Draws from the model's law and reports it flattened.
class LyingDrafter final : public Drafter {
 public:
  explicit LyingDrafter(const DecoderOptions& options)
      : honest_(make_drafter(options, pair().target().info(), pair())) {}
  std::string name() const override { return "lying"; }
  void begin(std::span<const Sequence> sequences) override { honest_->begin(sequences); }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    honest_->propose(sequences, limits, drafts);
    for (std::int32_t i = 0; i < drafts[0].num_laws; ++i) {
      Law& law = drafts[0].laws[static_cast<std::size_t>(i)];
      for (float& value : law.assign_dense(kVocab)) value = 0.7f * value + 0.3f / kVocab;
    }
  }

 private:
  std::unique_ptr<Drafter> honest_;
};

/// Throws away the token that made it stop.
class WithholdingDrafter final : public Drafter {
 public:
  explicit WithholdingDrafter(const DecoderOptions& options)
      : honest_(make_drafter(options, pair().target().info(), pair())) {}
  std::string name() const override { return "withholding"; }
  void begin(std::span<const Sequence> sequences) override { honest_->begin(sequences); }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    honest_->propose(sequences, limits, drafts);
    const Draft whole = drafts[0];
    drafts[0].reset(sequences[0]->tokens.back(), whole.draw_kind);
    for (TokenTree::Node node = 1; node < whole.tree.size(); ++node) {
      if (static_cast<double>(whole.law_at(node - 1)[whole.tree[node].token]) < kSure) return;
      drafts[0].law_for(node - 1) = whole.law_at(node - 1);
      drafts[0].add(node - 1, whole.tree[node].token);
    }
  }

 private:
  std::unique_ptr<Drafter> honest_;
};

TEST(JointLawOfConfidence, IsAnotherWhereTheUnsureTokenIsWithheld) {
  const DecoderOptions options = options_of({"", "small_transformer"});
  HostRoundDecoder decoder(pair().target(), nullptr, options,
                           std::make_unique<WithholdingDrafter>(options), make_verifier(options));
  EXPECT_GT(normal_score(counts_of(decoder)), kQuantile);
}

TEST(JointLawOfALyingDrafter, ReportedOtherwiseIsFound) {
  const DecoderOptions options = options_of({"", "small_transformer"});
  HostRoundDecoder decoder(pair().target(), nullptr, options,
                           std::make_unique<LyingDrafter>(options), make_verifier(options));
  EXPECT_GT(normal_score(counts_of(decoder)), kQuantile);
}

}  // namespace
}  // namespace speclab::engines
