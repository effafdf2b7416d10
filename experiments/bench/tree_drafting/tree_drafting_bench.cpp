// What drafting a tree takes beside its drafter's forwards and laws: choosing its nodes, drawing
// siblings, keeping the books; over laws made beforehand, of as many tokens as the default model
// has. To be set beside the time of a round, as rounds.csv of a run has it.
//
// laws/... asks for the laws of as many parents and does no more: what draft/... takes longer is
// the tree's. Trees that are grown ask for no law.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "engines/drafters/next_tokens.h"
#include "engines/sampling/logits_pipeline.h"
#include "experiments/bench/bench_main.h"
#include "experiments/bench/verification/drawn_drafts.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

/// A drafter's model whose forwards cost nothing and whose laws were made beforehand; to be asked
/// for one is to copy it.
class StoredTokens final : public engines::NextTokens {
 public:
  static constexpr std::size_t kNumLaws = 16, kMostLikely = 8;

  /// @param temperature  of the laws; at 0 each has one token
  StoredTokens(std::size_t vocab_size, double temperature);

  std::size_t vocab_size() const override { return vocab_size_; }
  bool start(const engines::Sequence&, std::int32_t) override { return true; }
  void law(const engines::DraftPlace& place, Law& law) override { law = laws_[index(place)]; }
  std::span<const LawEntry<float>> most_likely(const engines::DraftPlace& place,
                                               std::size_t count) override;
  double likelihood(const engines::DraftPlace&, Token) override { return 1.0; }

 private:
  /// Of the law of a place, so that neighbours differ and drafts have another form from token to
  /// token.
  static std::size_t index(const engines::DraftPlace& place) {
    return static_cast<std::size_t>(place.tree[place.node].token + place.tree[place.node].depth) %
           kNumLaws;
  }

  std::size_t vocab_size_;
  std::vector<Law> laws_;
  std::vector<std::vector<LawEntry<float>>> likely_;
};

std::vector<LawEntry<float>> likeliest(const Law& law) {
  std::vector<LawEntry<float>> entries;
  for (const float probability : law.dense_values())
    entries.push_back({static_cast<Token>(entries.size()), probability});
  std::ranges::partial_sort(entries, entries.begin() + StoredTokens::kMostLikely,
                            is_likelier<float>);
  entries.resize(StoredTokens::kMostLikely);
  return entries;
}

StoredTokens::StoredTokens(std::size_t vocab_size, double temperature)
    : vocab_size_(vocab_size), laws_(kNumLaws) {
  const Logits logits(vocab_size, kNumLaws);
  engines::LogitsPipeline pipeline({.temperature = temperature}), plain_pipeline({});
  Law plain;
  for (std::size_t i = 0; i < kNumLaws; ++i) {
    pipeline.law(logits.draft[i], {}, laws_[i]);
    plain_pipeline.law(logits.draft[i], {}, plain);
    likely_.push_back(likeliest(plain));
  }
}

std::span<const LawEntry<float>> StoredTokens::most_likely(const engines::DraftPlace& place,
                                                           std::size_t count) {
  return std::span<const LawEntry<float>>(likely_[index(place)])
      .first(std::min(count, kMostLikely));
}

constexpr const char* kTrees[] = {"2x2x1", "parents:0,0,0,0,1,1,1,2,2,3,5,5,6,8,11,13",
                                  "best_first:16", "beam:16", "suffixes:5:5x3x2"};
constexpr std::size_t kVocabSize = 49152;
constexpr std::int32_t kContext = 256, kMostLevels = 16;
constexpr std::uint32_t kRounds =
    4096;  ///< before the draws begin again: random streams know no more than 2^20

class Drafting {
 public:
  Drafting(const char* tree, double temperature)
      : drafter_(engines::make_growing_drafter(
            std::make_unique<StoredTokens>(kVocabSize, temperature), "stored",
            {.sampling = {.temperature = temperature}, .drafter = {.tree = tree}, .seed = 2})) {
    sequence_.tokens.assign(kContext, 0);
  }

  /// Each behind another token.
  const Draft& operator()() {
    sequence_.round = (sequence_.round + 1) % kRounds;
    sequence_.tokens.back() = static_cast<Token>(sequence_.round % StoredTokens::kNumLaws);
    const engines::Sequence* const sequence = &sequence_;
    const engines::DraftLimit limit{kMostLevels};
    drafter_->propose({&sequence, 1}, {&limit, 1}, {&draft_, 1});
    return draft_;
  }

 private:
  std::unique_ptr<engines::Drafter> drafter_;
  engines::Sequence sequence_;
  Draft draft_;
};

/// The laws of a draft, without the draft.
class Laws {
 public:
  Laws(std::int32_t parents, double temperature)
      : tokens_(kVocabSize, temperature), laws_(static_cast<std::size_t>(parents)) {}

  const std::vector<Law>& operator()() {
    for (Law& law : laws_) {
      tree_.reset(static_cast<Token>(++asked_ % StoredTokens::kNumLaws));
      tokens_.law({sequence_, tree_, 0}, law);
    }
    return laws_;
  }

 private:
  StoredTokens tokens_;
  engines::Sequence sequence_;
  TokenTree tree_;
  std::uint32_t asked_ = 0;
  std::vector<Law> laws_;
};

template <typename Work>
void add(const std::string& name, std::shared_ptr<Work> work, std::int32_t nodes) {
  benchmark::RegisterBenchmark(name.c_str(), [work, nodes](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(&(*work)());
    state.counters["drafted"] = nodes;
  })->UseRealTime();
}

void add_tree(const char* tree, double temperature) {
  const auto drafting = std::make_shared<Drafting>(tree, temperature);
  const TreeGrowth growth = TreeGrowth::parse(tree, 1);
  const Draft& draft = (*drafting)();
  const std::int32_t nodes = draft.tree.drafted(), parents = draft.num_laws;
  if (nodes > growth.max_nodes() ||
      (growth.kind != TreeGrowth::Kind::suffixes && nodes != growth.max_nodes()))
    throw Error(ExitCode::invalid_measurement,
                std::string(tree) + " has another number of nodes than its name says");
  const std::string suffix =
      std::string("/") + tree + "/temperature:" + (temperature == 0 ? "0" : "1");
  add("draft" + suffix, drafting, nodes);
  if (!growth.is_grown()) add("laws" + suffix, std::make_shared<Laws>(parents, temperature), nodes);
}

}  // namespace

void run() {
  for (const char* tree : kTrees)
    for (const double temperature : {0.0, 1.0}) add_tree(tree, temperature);
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace speclab::bench
