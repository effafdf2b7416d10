// The kernels of drafts one by one, against the host's truth: drafts of the host and their
// verdicts, the path that a reader of states follows, and mixtures with a copy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/rounds.h"
#include "engines/cuda/pinned_draft.h"
#include "engines/drafters/next_token_sources.h"
#include "sim/rules/rejection.h"
#include "tests/engines/cuda/exact_laws.h"

namespace speclab::engines::cuda {
namespace {

constexpr int kFewTokens = 33;
constexpr RoundKey kDraftedKey{3, 17, 5};

class DraftKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    device_ = std::make_unique<Device>();
    pinned_ = std::make_unique<PinnedDraft>();
    laws_ = DeviceArray<float>(kMaxRows * kFewTokens);
    sums_ = DeviceArray<double>(kMaxRows);
    remainder_ = DeviceArray<float>(kFewTokens);
    device_state_ = zeros_on_device<RoundState>(1);
    state_.forced = -1;
    rows_ = zeros_on_device<ForwardState>(1);
  }
  DeviceLaws laws() const { return {laws_.data(), sums_.data(), kFewTokens}; }
  const LaunchContext& context() const { return device_->context(); }
  void send() { copy_to_device(device_state_.data(), &state_, sizeof state_); }
  void receive() {
    device_->synchronize();
    copy_to_host(&state_, device_state_.data(), sizeof state_);
  }

  std::mt19937 random_{5};
  std::unique_ptr<Device> device_;
  RoundState state_{};
  DeviceArray<RoundState> device_state_;
  DeviceArray<ForwardState> rows_;
  DeviceArray<float> laws_, remainder_;
  DeviceArray<double> sums_;
  std::unique_ptr<PinnedDraft> pinned_;
};

/// A draft of the host and the target's laws behind its nodes.
struct GivenDraft {
  Draft draft;
  std::vector<ExactLaw> target;
};

std::vector<Token> tokens_of(const ExactLaw& law, std::mt19937& random) {
  std::vector<Token> tokens;
  for (Token token = 0; token < kFewTokens; ++token)
    if (law.exponentials[static_cast<std::size_t>(token)] > 0.0f) tokens.push_back(token);
  std::ranges::shuffle(tokens, random);
  return tokens;
}

void set_law(Law& law, const ExactLaw& exact, Token certain, DrawKind kind) {
  if (kind == DrawKind::arg_max) return law.assign_point_mass(kFewTokens, certain);
  std::vector<LawEntry<float>> entries;
  for (Token token = 0; token < kFewTokens; ++token)
    if (const float p = exact[static_cast<std::size_t>(token)]; p > 0.0f)
      entries.push_back({token, p});
  law.assign_sparse(kFewTokens, entries);
}

/// Of up to eight nodes: a chain of point masses, a chain of drawn tokens, or a tree of siblings
/// drawn without replacement.
GivenDraft given_draft(std::mt19937& random, DrawKind kind) {
  GivenDraft given;
  given.draft.reset(7, kind);
  const auto most = static_cast<std::int32_t>(2 + random() % 6);
  for (TokenTree::Node node = 0; node < given.draft.tree.size(); ++node) {
    given.target.push_back(random_law(random, kFewTokens));
    if (given.draft.tree.size() >= most) continue;
    const ExactLaw law = random() % 3 == 0 ? given.target.back() : random_law(random, kFewTokens);
    std::vector<Token> tokens = tokens_of(law, random);
    const bool has_siblings = kind == DrawKind::sampled_without_replacement;
    tokens.resize(std::min<std::size_t>(tokens.size(), has_siblings ? random() % 4 : 1));
    if (!tokens.empty()) set_law(given.draft.law_for(node), law, tokens.front(), kind);
    for (const Token token : tokens)
      if (given.draft.tree.size() < kMaxRows) given.draft.add(node, token);
  }
  return given;
}

Verdict verdict_on_host(const GivenDraft& given, std::uint64_t seed) {
  std::vector<Law> laws(given.target.size());
  for (std::size_t i = 0; i < laws.size(); ++i) fill(laws[i], given.target[i]);
  PhiloxChance chance(seed);
  std::vector<float> scratch;
  Verdict verdict;
  verify_rejection<float>(
      given.draft,
      [&](TokenTree::Node node) -> const Law& { return laws[static_cast<std::size_t>(node)]; },
      kDraftedKey, chance, scratch, verdict);
  return verdict;
}

/// Defects: a point mass kept in the remainder; siblings tested as if each were drawn from the
/// whole law; laws, tokens or shape of the draft before.
TEST_F(DraftKernels, TakeTheHostsDraftsAndGiveItsVerdicts) {
  int accepted = 0, rejected = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GivenDraft given = given_draft(random_, static_cast<DrawKind>(seed % 3));
    state_.length = static_cast<std::int32_t>(kDraftedKey.position);
    state_.sequence = kDraftedKey.sequence;
    state_.round = kDraftedKey.round;
    state_.seed = seed;
    state_.inverse_temperature = 1.0f;
    send();
    const DraftSize size = pinned_->fill(given.draft, kMaxRows);
    const LawsOnDevice target(given.target, kFewTokens);
    launch_take_draft(device_state_.data(), pinned_->data(), laws(), 16, context());
    launch_begin_tree_verification(device_state_.data(), rows_.data(), kWholeTree, context());
    launch_verify_tree(device_state_.data(), {laws(), target.view(), remainder_.data()}, context());
    receive();
    const Verdict verdict = verdict_on_host(given, seed);
    const RoundOutcome& found = state_.outcome;
    EXPECT_EQ(std::tuple(found.accepted, found.next, found.tested, found.drafted, found.depth),
              std::tuple(static_cast<int>(verdict.accepted.size()), verdict.next, verdict.tested,
                         given.draft.tree.drafted(), size.levels))
        << "seed " << seed;
    accepted += found.accepted;
    rejected += found.tested - found.accepted;
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(rejected, 10);
}

/// Defects: the state of a wrong row; a path that is reset too late.
TEST_F(DraftKernels, FollowThePathThatStands) {
  state_.length = 20;
  state_.pending = 50;
  state_.draft_shift = 1;
  state_.moves = {17, 2, {17 + 1, 17 + 4}};  // nodes 2 and 5
  for (int i = 0; i < 6; ++i) state_.drafted[i] = 100 + i;
  send();
  launch_begin_feature_round(device_state_.data(), rows_.data(), pinned_->data(), context());
  device_->synchronize();
  ForwardState rows;
  copy_to_host(&rows, rows_.data(), sizeof rows);
  ASSERT_EQ(rows.num_rows, 3);
  const std::array tokens{101, 104, 50}, states{0, 2, 5};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows.rows[i].token, tokens[i]) << i;
    EXPECT_EQ(rows.rows[i].position, 16 + static_cast<int>(i)) << i;
    EXPECT_EQ(rows.states[i], states[i]) << i;
  }
  const std::vector<ExactLaw> law{random_law(random_, kFewTokens)};
  const LawsOnDevice target(law, kFewTokens);
  const PinnedArray<RoundResult> result(1);
  launch_verify(device_state_.data(), 0, laws(), target.view(), result.data(), context());
  launch_begin_feature_round(device_state_.data(), rows_.data(), pinned_->data(), context());
  device_->synchronize();
  copy_to_host(&rows, rows_.data(), sizeof rows);
  EXPECT_EQ(rows.num_rows, 1) << "a round without a draft leaves the root alone";
  EXPECT_EQ(rows.states[0], 0);
}

/// A model that says the same everywhere.
class OneLaw final : public NextTokens {
 public:
  OneLaw(std::vector<float> law, std::vector<float> plain)
      : law_(std::move(law)), plain_(std::move(plain)) {}
  std::size_t vocab_size() const override { return law_.size(); }
  bool start(const Sequence&, std::int32_t) override { return true; }
  void law(const DraftPlace&, Law& law) override {
    std::ranges::copy(law_, law.assign_dense(law_.size()).begin());
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace&, std::size_t count) override {
    entries_.clear();
    for (std::size_t i = 0; i < plain_.size(); ++i)
      entries_.push_back({static_cast<Token>(i), plain_[i]});
    std::ranges::sort(entries_, is_likelier<float>);
    return std::span(entries_).first(std::min(count, entries_.size()));
  }
  double likelihood(const DraftPlace&, Token token) override {
    return static_cast<double>(plain_[static_cast<std::size_t>(token)]);
  }

 private:
  std::vector<float> law_, plain_;
  std::vector<LawEntry<float>> entries_;
};

std::vector<float> softmax(const std::vector<float>& logits, float temperature) {
  std::vector<float> law(logits.size());
  const float largest = std::ranges::max(logits);
  std::ranges::transform(logits, law.begin(),
                         [&](float logit) { return std::exp((logit - largest) / temperature); });
  const float sum = std::accumulate(law.begin(), law.end(), 0.0f);
  for (float& p : law) p /= sum;
  return law;
}

/// Defects: a copy's share that is not the host's, greedy or sampled; a copy that goes on behind a
/// node that has left it.
TEST_F(DraftKernels, MixACopyAsTheHostDoes) {
  const std::vector<Token> text{5, 6, 7, 8, 5, 6, 7, 8, 5, 6};  // 7 comes next
  const Sequence sequence{.tokens = text};
  const DeviceShape chain_of_two{{1, 2}, {1, 1}, {0, 1, 2, 2}};
  int copies = 0, others = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const float temperature = trial % 2 == 0 ? 0.0f : 0.7f;
    const double weight = 0.05 + 0.9 * (trial / 80.0);
    std::vector<float> logits(kFewTokens);
    for (float& logit : logits) logit = static_cast<float>(random_() % 1000) / 200.0f;
    logits[random_() % kFewTokens] += static_cast<float>(random_() % 6);
    const DecoderOptions options{
        .sampling = {.temperature = static_cast<double>(temperature)},
        .drafter = {.kind = "lookup_transformer", .lookup_weight = weight}};
    const auto host = next_tokens_with_lookup(
        std::make_unique<OneLaw>(softmax(logits, temperature > 0 ? temperature : 1.0f),
                                 softmax(logits, 1.0f)),
        options.drafter, options.sampling);
    TokenTree tree;
    tree.reset(text.back());
    host->begin({&sequence, 1}, 8);
    ASSERT_TRUE(host->start(sequence, 2));
    Law expected;
    host->law({sequence, tree, 0}, expected);

    state_ = {};
    state_.length = static_cast<std::int32_t>(text.size());
    state_.inverse_temperature = temperature > 0 ? 1.0f / temperature : 0.0f;
    state_.seed = static_cast<std::uint64_t>(trial);
    state_.tree.level_begins[1] = 1;
    state_.tree.is_copy[0] = 1;
    state_.copied = {2, {7, 8}, {weight, weight}};
    send();
    const auto device_logits = on_device<float>(logits);
    const auto best = std::ranges::max_element(logits);
    const BestLogit likeliest{*best, static_cast<std::int32_t>(best - logits.begin())};
    const auto device_best = on_device<BestLogit>(std::span(&likeliest, 1));
    const TreeLevel level{chain_of_two, 0, 1};
    launch_level_laws(device_state_.data(), level, {device_logits.data(), device_best.data(), 1},
                      laws(), context());
    launch_add_children(device_state_.data(), rows_.data(), level, laws(), context());
    receive();
    std::vector<float> law(kFewTokens);
    copy_to_host(law.data(), laws_.data(), law.size() * sizeof(float));
    if (temperature > 0)
      for (Token token = 0; token < kFewTokens; ++token)
        EXPECT_NEAR(law[static_cast<std::size_t>(token)], expected[token], 1e-6) << trial;
    else
      EXPECT_EQ(state_.drafted[0], expected.arg_max()) << trial << ", weight " << weight;
    EXPECT_EQ(state_.tree.is_copy[1], state_.drafted[0] == 7) << trial;
    (state_.drafted[0] == 7 ? copies : others) += 1;
  }
  EXPECT_GT(copies, 5);
  EXPECT_GT(others, 5);
}

}  // namespace
}  // namespace speclab::engines::cuda
