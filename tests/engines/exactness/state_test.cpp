// COR-8, COR-9: after any script of acceptances and rejections the laws that the decoder shows its
// verifier, the target's and the drafter's, are bit for bit those of a fresh run over the same
// text: cache contents, lengths, positions, penalty counts and the drafter's cache all enter them.
// Every round is a script of its own.

#include <gtest/gtest.h>

#include <functional>

#include "engines/sampling/logits_pipeline.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/drafters/draft_chain.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using testing::random_tokens;

DecoderShape small_config() {
  DecoderShape config = testing::tiny_config();
  config.vocab_size = 40;
  config.context_length = 96;
  config.num_layers = 1;
  return config;
}

const SamplingOptions kSampling{.temperature = 0.8, .top_k = 20, .repetition_penalty = 1.2};

/// The law after `text` by a forward of the whole text in a cache of its own.
Law fresh_law(LanguageModel& model, const std::vector<Token>& text) {
  LogitsPipeline pipeline(kSampling);
  Law law;
  pipeline.law(testing::logits_of(model, text).back(), text, law);
  return law;
}

bool same_bits(const Law& a, const Law& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.token == y.token && x.probability == y.probability;
  };
  return std::ranges::equal(a.entries(), b.entries(), same);
}

/// What drafts, run afresh: its law after a text and what it has drafted behind it.
using FreshDraftLaw =
    std::function<Law(const std::vector<Token>& text, const std::vector<Token>& drafted)>;

/// By a forward of text and drafted tokens together, in a cache of their own.
FreshDraftLaw fresh_draft_law(std::shared_ptr<LanguageModel> drafter) {
  return [drafter](std::vector<Token> text, const std::vector<Token>& drafted) {
    text.insert(text.end(), drafted.begin(), drafted.end());
    return fresh_law(*drafter, text);
  };
}

/// The target's hidden states of a text but for its last token, by one forward.
std::vector<float> fresh_hidden(LanguageModel& target, std::span<const Token> text) {
  const auto cache = target.make_cache(1, static_cast<std::int32_t>(text.size()));
  std::vector<ForwardRow> rows =
      testing::chain_rows(text.first(text.size() - 1), cache->begin(), 0);
  for (ForwardRow& row : rows) row.wants_hidden = true;
  const ForwardResult result = target.forward(rows, *cache);
  return {result.hidden.begin(), result.hidden.end()};
}

/// By the target's hidden states of the text and one chain behind it.
FreshDraftLaw fresh_feature_law(LanguageModel& target, std::shared_ptr<LanguageModel> drafter) {
  return [&target, drafter](const std::vector<Token>& text, const std::vector<Token>& drafted) {
    const auto model = transformer_draft_model(drafter);
    const Sequence sequence{.tokens = text};
    model->begin({&sequence, 1}, 16);
    model->read_hidden(sequence, fresh_hidden(target, text));
    const std::span<const float> logits = testing::logits_after_chain(*model, sequence, drafted);
    std::vector<Token> all = text;
    all.insert(all.end(), drafted.begin(), drafted.end());
    Law law;
    LogitsPipeline(kSampling).law(logits, all, law);
    return law;
  };
}

std::vector<Token> path_to(const TokenTree& tree, TokenTree::Node node) {
  std::vector<Token> path;
  for (; node != 0; node = tree[node].parent) path.insert(path.begin(), tree[node].token);
  return path;
}

/// Accepts a random path and adds a random token; on the way it compares every law with the fresh
/// one.
class ScriptVerifier final : public Verifier {
 public:
  ScriptVerifier(LanguageModel& target, FreshDraftLaw draft_law, std::vector<Token> prompt)
      : target_(target), draft_law_(std::move(draft_law)), text_(std::move(prompt)) {}
  std::string name() const override { return "script"; }
  bool lossless() const override { return false; }

  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key,
              Verdict& verdict) override {
    EXPECT_EQ(key.position, text_.size());
    EXPECT_EQ(key.round, static_cast<std::uint32_t>(rounds_++));
    for (TokenTree::Node node = 0; node < draft.tree.size(); ++node)
      compare(draft, target_laws, node);
    verdict.clear();
    TokenTree::Node node = 0;
    std::vector<TokenTree::Node> children;
    for (draft.tree.children(0, children); !children.empty() && random_() % 4 != 0;
         draft.tree.children(node, children))
      verdict.accepted.push_back(node = children[random_() % children.size()]);
    verdict.next = static_cast<Token>(random_() % 40);
    const std::vector<Token> path = path_to(draft.tree, node);
    text_.insert(text_.end(), path.begin(), path.end());
    text_.push_back(verdict.next);
    lengths_.insert(path.size());
  }

  int rounds() const { return rounds_; }
  const std::set<std::size_t>& accepted_lengths() const { return lengths_; }

 private:
  void compare(const Draft& draft, const TargetLaws<float>& target_laws, TokenTree::Node node) {
    std::vector<Token> text = text_;
    const std::vector<Token> path = path_to(draft.tree, node);
    text.insert(text.end(), path.begin(), path.end());
    EXPECT_TRUE(same_bits(target_laws(node), fresh_law(target_, text)))
        << "the target's law at node " << node << " of round " << rounds_;
    const bool has_children = draft.law_of_node[static_cast<std::size_t>(node)] >= 0;
    EXPECT_TRUE(!has_children || same_bits(draft.law_at(node), draft_law_(text_, path)))
        << "the drafter's law at node " << node << " of round " << rounds_;
  }

  LanguageModel& target_;
  FreshDraftLaw draft_law_;
  std::vector<Token> text_;
  std::mt19937 random_{5};
  int rounds_ = 0;
  std::set<std::size_t> lengths_;
};

/// Runs scripts of one tree until there were `wanted`, or a part of them. @return the accepted
/// lengths seen
std::set<std::size_t> run_scripts(const char* tree, int speculation_length, int wanted,
                                  const char* model = "") {
  testing::TinyPair pair(small_config(), 0.5f);
  testing::TinyPair fresh(
      small_config(),
      0.5f);  // the same weights; a forward of the decoder's own model would end its logits
  const auto fresh_drafter = fresh.language_model("small_transformer", model);
  const FreshDraftLaw draft_law = fresh_drafter->info().feature_size > 0
                                      ? fresh_feature_law(fresh.target(), fresh_drafter)
                                      : fresh_draft_law(fresh_drafter);
  std::set<std::size_t> lengths;
  std::mt19937 random(7);
  wanted /= speclab::testing::by_size(10, 4, 1);
  for (int rounds = 0; rounds < wanted;) {
    const std::vector<Token> prompt = random_tokens(random, 40, 1 + random() % 9);
    const DecoderOptions options{
        .sampling = kSampling,
        .stop = {.max_new_tokens = 60},
        .drafter = {.kind = "small_transformer", .model = model, .tree = tree},
        .seed = random()};
    auto owned = std::make_unique<ScriptVerifier>(fresh.target(), draft_law, prompt);
    const ScriptVerifier& script = *owned;
    HostRoundDecoder decoder(pair.target(), nullptr, options,
                             make_drafter(options, pair.target().info(), pair), std::move(owned));
    testing::decode(decoder, {{0, prompt}}, speculation_length);
    rounds += script.rounds();
    lengths.insert(script.accepted_lengths().begin(), script.accepted_lengths().end());
    if (::testing::Test::HasFailure()) break;
  }
  return lengths;
}

TEST(StateAfterAScript, OfAChainIsThatOfAFreshRun) {
  EXPECT_EQ(run_scripts("chain", 4, 6000), (std::set<std::size_t>{0, 1, 2, 3, 4}));
}
TEST(StateAfterAScript, OfATreeIsThatOfAFreshRun) {
  EXPECT_EQ(run_scripts("2x2x1", 3, 2500), (std::set<std::size_t>{0, 1, 2, 3}));
}
TEST(StateAfterAScript, OfAnUnevenTreeIsThatOfAFreshRun) {
  EXPECT_EQ(run_scripts("parents:0,0,0,1,1,4", 3, 2500), (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(StateAfterAScript, OfAChainThatReadsHiddenStatesIsThatOfAFreshRun) {
  EXPECT_EQ(run_scripts("chain", 4, 3000, "features"), (std::set<std::size_t>{0, 1, 2, 3, 4}));
}
TEST(StateAfterAScript, OfATreeThatReadsHiddenStatesIsThatOfAFreshRun) {
  EXPECT_EQ(run_scripts("parents:0,0,0,1,1,4", 3, 1500, "features"),
            (std::set<std::size_t>{0, 1, 2, 3}));
}

/// The last round's draft ends at every place before the end of the context. Drafts of every length
/// are kept and cut short: an engine that stops drafting before the end would pass else.
TEST(FullCache, IsReachedAtEveryDraftedToken) {
  std::set<int> kept, last;
  for (int length = 1; length <= 8; ++length)
    for (int new_tokens = 1; new_tokens <= 12; ++new_tokens) {
      DecoderShape config = small_config();
      config.context_length = 9 + new_tokens;
      testing::TinyPair pair(config, 0.05f);
      const DecoderOptions options{.sampling = {.temperature = 0},
                                   .stop = {.max_new_tokens = new_tokens},
                                   .drafter = {.kind = "small_transformer"}};
      const std::vector<Request> requests{{0, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
      const auto records = testing::decode(*pair.speculative(options), requests, length);
      EXPECT_EQ(testing::output_ids(records),
                testing::output_ids(testing::decode(*pair.plain(options), requests, 0)))
          << length << " drafted, " << new_tokens << " new tokens";
      for (const RoundRecord& round : records.front().rounds) kept.insert(round.accepted);
      last.insert(records.front().rounds.back().drafted);
    }
  for (int length = 0; length <= 8; ++length) {
    EXPECT_TRUE(kept.contains(length)) << length;
    EXPECT_TRUE(last.contains(length)) << length;
  }
}

}  // namespace
}  // namespace speclab::engines
