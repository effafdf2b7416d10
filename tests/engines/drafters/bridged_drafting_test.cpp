// Drafters over another tokenizer beside the target, on tiny models.

#include <gtest/gtest.h>

#include "engines/families/catalogue.h"
#include "engines/interface/drafter_checks.h"
#include "engines/interface/text_constraint.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/string_tokenizer.h"

namespace speclab::engines {
namespace {

using testing::StringTokenizer;
using Tokens = std::vector<Token>;

std::vector<std::string> texts_of_drafter() {
  return {"b", "ab", "<end>", "ca", "a", "ccc", "ba", "c"};
}
std::vector<std::string> texts_of_target() {
  return {"a", "b", "c", "d", "ba", "bab", "cc", "<eos>"};
}

DecoderShape shape_with(std::size_t vocab_size) {
  DecoderShape shape = testing::tiny_config();
  shape.vocab_size = static_cast<std::int32_t>(vocab_size);
  return shape;
}

class BridgedModels final : public DrafterModels {
 public:
  explicit BridgedModels(const std::vector<std::string>& of_target = texts_of_target(),
                         const std::vector<std::string>& of_drafter = texts_of_drafter())
      : target_(testing::tiny_model(shape_with(of_target.size()))),
        drafter_(testing::tiny_model(shape_with(of_drafter.size()),
                                     {.weights = {.seed = kDrafterSeed}})) {
    tokenizers_ = {std::make_shared<StringTokenizer>(of_drafter),
                   std::make_shared<StringTokenizer>(of_target)};
  }

  LanguageModel& target() { return *target_; }
  const TokenizerPair& tokenizers() const { return tokenizers_; }
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    return drafter_;
  }
  std::optional<Bridged> bridged(const DecoderOptions& options) override {
    const bool is_trimmed = options.drafter.bridge == "trimmed_intersection";
    return Bridged{is_trimmed ? trimmed() : drafter_,
                   {options.drafter.bridge, tokenizers_,
                    std::make_shared<SharedVocabulary>(*tokenizers_.drafter, *tokenizers_.target)}};
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override { return nullptr; }
  std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
    return nullptr;
  }

 private:
  /// The drafter with the rows of its head of shared tokens.
  std::shared_ptr<LanguageModel> trimmed() const {
    const DecoderShape shape = shape_with(texts_of_drafter().size());
    const ModelSource source = with_trimmed_head(
        {shape, testing::tiny_weights(shape, {.seed = kDrafterSeed}), nullptr},
        SharedVocabulary(*tokenizers_.drafter, *tokenizers_.target).draft_tokens());
    return std::make_shared<cpu::DecoderCpu>(source.config, *source.weights,
                                             cpu::ElementType::float32,
                                             std::make_shared<cpu::ThreadTeam>(1));
  }

  static constexpr std::uint64_t kDrafterSeed = 5;
  std::unique_ptr<LanguageModel> target_;
  std::shared_ptr<LanguageModel> drafter_;
  TokenizerPair tokenizers_;
};

DecoderOptions bridge_options(const std::string& bridge, double temperature) {
  DecoderOptions options;
  options.sampling.temperature = temperature;
  options.stop = {.max_new_tokens = 40, .ignore_eos = true};
  options.drafter = {.kind = "small_transformer", .bridge = bridge};
  return options;
}

const std::vector<Request>& bridge_requests() {
  static const std::vector<Request> all{{0, {0, 1, 2}}, {1, {4}}, {2, {6, 5, 1}}};
  return all;
}

std::vector<GenerationRecord> drafted_over(BridgedModels& models, const DecoderOptions& options) {
  HostRoundDecoder decoder(models.target(), models.tokenizers().target, options,
                           make_drafter(options, models.target().info(), models),
                           make_verifier(options));
  return testing::decode(decoder, bridge_requests(), 4);
}

class Bridges : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Bridges,
                         ::testing::Values("re_encode", "look_behind", "intersection",
                                           "trimmed_intersection"));

/// Defect: a batch over a bridge loses a cache's place, and greedy texts differ from plain ones.
TEST_P(Bridges, KeepGreedyTexts) {
  BridgedModels models;
  const DecoderOptions options = bridge_options(GetParam(), 0.0);
  PlainDecoder plain(models.target(), models.tokenizers().target, options);
  EXPECT_EQ(testing::output_ids(drafted_over(models, options)),
            testing::output_ids(testing::decode(plain, bridge_requests(), 0)));
}

/// Defect: the drafter reads stale entries where its text is spelled anew.
TEST_P(Bridges, DraftAsIfTheTextHadJustBegun) {
  BridgedModels models;
  const DecoderOptions options = bridge_options(GetParam(), 1.0);
  Sequence sequence{.prompt_length = 2, .tokens = {0, 1}};
  const auto begun = [&] {
    auto drafter = make_drafter(options, models.target().info(), models);
    drafter->begin({&sequence, 1});
    return drafter;
  };
  const auto drafter = begun();
  std::mt19937 random(3);
  int num_drafted = 0;
  for (sequence.round = 0; sequence.round < 12; ++sequence.round) {
    const Draft draft = testing::propose(*drafter, sequence, 3),
                fresh = testing::propose(*begun(), sequence, 3);
    EXPECT_EQ(testing::drafted_tokens(draft), testing::drafted_tokens(fresh)) << sequence.round;
    num_drafted += draft.tree.drafted();
    const Tokens added = testing::random_tokens(random, 3, 1 + random() % 3);
    sequence.tokens.insert(sequence.tokens.end(), added.begin(), added.end());
  }
  EXPECT_GT(num_drafted, 12);
}

/// Defect: tokens of the drafter are counted as the target's, or a token outside the intersection
/// is drafted.
TEST_P(Bridges, CountTokensOfBothSides) {
  BridgedModels models;
  const SharedVocabulary shared(*models.tokenizers().drafter, *models.tokenizers().target);
  DecoderOptions options = bridge_options(GetParam(), 1.0);
  std::int64_t shown = 0, outside = 0;
  options.on_draft = [&](const Draft& draft, const TargetLaws<float>&) {
    for (TokenTree::Node node = 1; node < draft.tree.size(); ++node) {
      ++shown;
      outside += shared.to_draft(draft.tree[node].token) == SharedVocabulary::kNone;
    }
  };
  std::int64_t own = 0, of_target = 0;
  for (const GenerationRecord& record : drafted_over(models, options)) {
    ASSERT_TRUE(record.bridge);
    EXPECT_EQ(record.bridge->bridge, GetParam());
    EXPECT_EQ(record.bridge->overlap.shared, shared.size());
    EXPECT_EQ(record.bridge->overlap.draft, models.tokenizers().drafter->vocab_size());
    EXPECT_EQ(record.bridge->overlap.target, models.tokenizers().target->vocab_size());
    EXPECT_EQ(record.bridge->unshared_outputs,
              std::ranges::count_if(record.output_ids, [&](Token token) {
                return shared.to_draft(token) == SharedVocabulary::kNone;
              }));
    own += record.bridge->draft_tokens;
    for (const RoundRecord& round : record.rounds) of_target += round.drafted;
  }
  EXPECT_EQ(of_target, shown);
  EXPECT_GT(of_target, 0);
  const bool is_shared = std::string_view(GetParam()).ends_with("intersection");
  EXPECT_EQ(own == of_target, is_shared);
  EXPECT_EQ(outside == 0, is_shared);
}

/// Defect: a prompt that the drafter's tokenizer cannot spell is drafted for without its text.
TEST_P(Bridges, RefuseAPromptThatCannotBeSpelled) {
  BridgedModels models;
  const DecoderOptions options = bridge_options(GetParam(), 0.0);
  const auto drafter = make_drafter(options, models.target().info(), models);
  const Sequence sequence{.prompt_length = 2, .tokens = {0, 3}};
  try {
    drafter->begin({&sequence, 1});
    FAIL() << "no letter of the drafter is d";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("'d' at byte 1"), std::string::npos) << error.what();
  }
}

/// The ends that a re-encoding drafter drafts for a target with these texts.
std::vector<Token> drafted_ends(const std::vector<std::string>& texts, Tokens ends) {
  BridgedModels models(texts);
  DecoderOptions options = bridge_options("re_encode", 1.0);
  options.stop = {.max_new_tokens = 40, .eos_token_ids = ends};
  const auto drafter = make_drafter(options, models.target().info(), models);
  Sequence sequence{.prompt_length = 2, .tokens = {0, 1}};
  drafter->begin({&sequence, 1});
  Tokens drafted;
  for (sequence.round = 0; sequence.round < 40; ++sequence.round) {
    const Tokens tokens = testing::drafted_tokens(testing::propose(*drafter, sequence, 2));
    EXPECT_LE(tokens.size(), 2u) << "a token of the drafter has up to three of the target";
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (std::ranges::find(ends, tokens[i]) != ends.end()) {
        EXPECT_EQ(i + 1, tokens.size()) << "nothing stands behind an end";
        drafted.push_back(tokens[i]);
      }
  }
  return drafted;
}

/// Defect: an end of the drafter is drafted as another end of the target, or not at all; a draft is
/// longer than the round allows.
TEST(ReEncodedDrafts, EndAsTheTextsOfTheEndsSay) {
  const std::vector<std::string> same{"a", "b", "c", "ba", "<eos>", "<end>", "<eot>"},
      none{"a", "b", "c", "ba", "<eos>", "<stop>", "<eot>"};
  const Tokens as_same = drafted_ends(same, {4, 5, 6}), as_none = drafted_ends(none, {5, 4, 6});
  EXPECT_GT(as_same.size(), 2u);
  EXPECT_EQ(std::ranges::count(as_same, 5), std::ssize(as_same)) << "<end> is an end of both";
  EXPECT_EQ(std::ranges::count(as_none, 5), std::ssize(as_none)) << "else it is the first";
}

/// Defect: a re-encoded draft leaves the constraint, so that its rounds are wasted.
TEST(ReEncodedDrafts, StayWithinTheConstraint) {
  BridgedModels models;
  DecoderOptions options = bridge_options("re_encode", 1.0);
  options.stop.ignore_eos = false;
  options.sampling.rules.mask = regex_constraint("[ab]*")->mask(
      {models.tokenizers().target, models.tokenizers().target->vocab_size()});
  const auto drafter = make_drafter(options, models.target().info(), models);
  Sequence sequence{.prompt_length = 2, .tokens = {0, 1}};
  drafter->begin({&sequence, 1});
  const Tokens forbidden{2, 3, 6};  // c, d, cc
  int num_drafted = 0;
  for (sequence.round = 0; sequence.round < 20; ++sequence.round)
    for (const Token token : testing::drafted_tokens(testing::propose(*drafter, sequence, 4))) {
      EXPECT_EQ(std::ranges::find(forbidden, token), forbidden.end()) << token;
      ++num_drafted;
    }
  EXPECT_GT(num_drafted, 10);
}

/// Defect: the drafter reads a text that lacks the begun character, and drafts behind it.
TEST(SharedVocabularyDrafts, WaitForTheEndOfACharacter) {
  BridgedModels models({"a", "b", "\xC3", "\xA4", "c", "<eos>"},
                       {"a", "b", "c", "\xC3\xA4", "<end>"});
  const DecoderOptions options = bridge_options("intersection", 1.0);
  const auto drafter = make_drafter(options, models.target().info(), models);
  Sequence sequence{.prompt_length = 2, .tokens = {0, 1}};
  drafter->begin({&sequence, 1});
  EXPECT_GT(testing::propose(*drafter, sequence, 3).tree.drafted(), 0);
  sequence.tokens.push_back(2), ++sequence.round;
  EXPECT_EQ(testing::propose(*drafter, sequence, 3).tree.drafted(), 0);
  sequence.tokens.push_back(3), ++sequence.round;
  EXPECT_GT(testing::propose(*drafter, sequence, 3).tree.drafted(), 0);
}

/// Defect: a trimmed head gives its logits to other tokens.
TEST(TrimmedBridge, DraftsTheSameWithATrimmedHead) {
  BridgedModels models;
  std::vector<std::vector<Token>> texts;
  for (const char* bridge : {"intersection", "trimmed_intersection"}) {
    std::vector<Token> drafts;
    DecoderOptions options = bridge_options(bridge, 1.0);
    options.on_draft = [&](const Draft& draft, const TargetLaws<float>&) {
      for (const Token token : testing::drafted_tokens(draft)) drafts.push_back(token);
    };
    drafted_over(models, options);
    texts.push_back(drafts);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

/// Defect: a tree is cut to a chain in silence, or a misspelled bridge counts as automatic.
TEST(BridgeOptions, AreChecked) {
  BridgedModels models;
  DecoderOptions tree = bridge_options("look_behind", 0.0);
  tree.drafter.tree = "2x1";
  EXPECT_THROW(make_drafter(tree, models.target().info(), models), ConfigError);
  EXPECT_THROW(check_drafter_options({.kind = "small_transformer", .bridge = "union"}),
               ConfigError);
  EXPECT_THROW(check_drafter_options({.kind = "prompt_lookup", .bridge = "intersection"}),
               ConfigError);
}

}  // namespace
}  // namespace speclab::engines
