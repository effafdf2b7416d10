// What verifying 4 drafts, in one chain or in two, costs at the default model's vocabulary: the target's laws of the nodes that
// are reached, made of logits, and the rule; as a share of the forward that gave the logits. A rule reads each row of p and q
// once, the rejected row twice; a forward reads all weights, over a hundred times as many bytes as five rows of p and four of q.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "engines/verifiers/verifier.h"
#include "experiments/bench/bench_main.h"
#include "experiments/drivers/engines_loader.h"
#include "sim/core/errors.h"
#include "sim/core/law_sampling.h"

namespace speclab::bench {
namespace {

constexpr int kLength = 4;
constexpr std::int32_t kContext = 256;

/// Logits like a model's, and those of a drafter that half agrees; [rows, vocab].
struct Logits {
  std::vector<std::vector<float>> target, draft;

  explicit Logits(std::size_t vocab_size) {
    const RngStream stream(5);
    const auto normal = [&](std::uint32_t row, std::uint32_t i, std::uint32_t which) {
      const double u = stream.uniform({row, i, Purpose::weights, 2 * which}), v = stream.uniform({row, i, Purpose::weights, 2 * which + 1});
      return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(6.283185307179586 * v);
    };
    for (std::uint32_t row = 0; row <= kLength; ++row) {
      target.emplace_back(vocab_size);
      draft.emplace_back(vocab_size);
      for (std::uint32_t i = 0; i < vocab_size; ++i) {
        const double common = 3.0 * normal(row, i, 0);
        target.back()[i] = static_cast<float>(common);
        draft.back()[i] = static_cast<float>(common + normal(row, i, 1));
      }
    }
  }
};

/// Four drafts each: one after the other, and two chains of two.
struct Shape {
  const char *name, *tree;
};
constexpr Shape kChain{"chain", "4"}, kTwoChains{"two_chains", "parents:0,0,1,2"};

/// Siblings are drawn as the rule needs them.
Draft draw_draft(const Logits& logits, const std::string& verifier, const Shape& shape, std::uint32_t position) {
  engines::LogitsPipeline pipeline({});
  PhiloxChance chance(1);
  std::vector<float> scratch;
  Draft draft;
  const std::vector<int> parents = TreeShape::parse(shape.tree, 0).parents();
  const bool has_siblings = shape.tree != std::string_view(kChain.tree);
  const bool without_replacement = has_siblings && !engines::is_among(verifier, engines::kReplacementVerifierKinds);
  draft.reset(0, without_replacement ? DrawKind::sampled_without_replacement : DrawKind::sampled);
  for (TokenTree::Node parent = 0; parent < kLength; ++parent) {
    const auto children = static_cast<std::size_t>(std::ranges::count(parents, parent));
    if (children == 0) continue;
    Law& law = draft.law_for(parent);
    pipeline.law(logits.draft[static_cast<std::size_t>(parent)], {}, law);
    StreamKey key = draft_key({0, position, 0}, parent, parent + 1);
    std::vector<Token> tokens;
    if (without_replacement) sample_without_replacement(law, children, key, chance, scratch, tokens);
    else for (; tokens.size() < children; ++key.draw) tokens.push_back(sample(law, key, chance, scratch));
    for (const Token token : tokens) draft.add(parent, token);
  }
  return draft;
}

/// Median time of a forward of the pending token and the drafts behind a context, nanoseconds.
double forward_ns(engines::LanguageModel& model) {
  const auto cache = model.make_cache(1, kContext + kLength + 1);
  const std::int32_t slot = cache->begin();
  const auto rows_behind = [&](std::int32_t first, std::int32_t count) {
    std::vector<engines::ForwardRow> rows;
    for (std::int32_t i = 0; i < count; ++i) rows.push_back({100 + i, first + i, slot, i - 1});
    return rows;
  };
  std::vector<std::int32_t> path(kContext);
  std::iota(path.begin(), path.end(), 0);
  model.forward(rows_behind(0, kContext), *cache);
  cache->commit(slot, path);
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(model.forward(rows_behind(kContext, kLength + 1), *cache).logits.data());
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + 10);
  return times[10];
}

class Verification {
 public:
  Verification(const Logits& logits, const std::string& kind, const Shape& shape) : logits_(logits), verifier_(engines::make_verifier({.verifier = kind, .seed = 2})) {
    for (std::uint32_t i = 0; i < 16; ++i) drafts_.push_back(draw_draft(logits, kind, shape, i));
  }

  const Verdict& operator()() {
    const auto law = [this](TokenTree::Node node) -> const Law& {
      pipeline_.law(logits_.target[static_cast<std::size_t>(node)], {}, law_);
      return law_;
    };
    verifier_->verify(drafts_[at_ % drafts_.size()], std::cref(law), {0, 8 * at_, 0}, verdict_);
    ++at_;
    return verdict_;
  }

 private:
  const Logits& logits_;
  std::unique_ptr<engines::Verifier> verifier_;
  engines::LogitsPipeline pipeline_{{}};
  std::vector<Draft> drafts_;
  Law law_;
  Verdict verdict_;
  std::uint32_t at_ = 0;
};

void add(const Logits& logits, const std::string& kind, const Shape& shape, double whole_ns) {
  const auto verification = std::make_shared<Verification>(logits, kind, shape);
  for (int i = 0; i < 100; ++i)
    if ((*verification)().tested > kLength) throw Error(ExitCode::invalid_measurement, kind + " tests more tokens than were drafted");
  benchmark::RegisterBenchmark(("verification/" + kind + "/" + shape.name).c_str(), [verification, whole_ns](benchmark::State& state) {
    std::int64_t accepted = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (auto _ : state) accepted += static_cast<std::int64_t>((*verification)().accepted.size());
    const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(state.iterations());
    state.counters["accepted"] = static_cast<double>(accepted) / static_cast<double>(state.iterations());
    state.counters["share_of_forward"] = ns / whole_ns;
  })->UseRealTime();
}

void run() {
  const auto engines = experiments::open_engines();
  const engines::LoadedModel target = engines->load_model({.model = "smollm2-135m"});
  const double whole_ns = forward_ns(*target.model);
  const Logits logits(static_cast<std::size_t>(target.model->info().vocab_size));
  std::printf("a forward of %d rows behind %d tokens: %.2f ms\n", kLength + 1, kContext, whole_ns * 1e-6);
  for (const char* kind : engines::kLosslessVerifierKinds)
    if (std::string_view(kind) != "greedy") {
      add(logits, kind, kChain, whole_ns);
      if (std::string_view(kind) != "block") add(logits, kind, kTwoChains, whole_ns);
    }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace
}  // namespace speclab::bench

int main(int argc, char** argv) { return speclab::bench::run_benchmarks(argc, argv, speclab::bench::run); }
