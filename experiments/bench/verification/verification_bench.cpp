// What verifying 4 drafts, in one chain or in two, costs at the default model's vocabulary: the
// target's laws of the nodes that are reached, made of logits, and the rule; as a share of the
// forward that gave the logits. A rule reads each row of p and q once, the rejected row twice; a
// forward reads all weights, over a hundred times as many bytes as five rows of p and four of q.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "engines/verifiers/verifier.h"
#include "experiments/bench/bench_main.h"
#include "experiments/bench/verification/drawn_drafts.h"
#include "experiments/drivers/program/engines_loader.h"
#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

constexpr std::int32_t kContext = 256;

/// Median time of a forward of the pending token and the drafts behind a context, nanoseconds.
double forward_ns(engines::LanguageModel& model) {
  const auto cache = model.make_cache(1, kContext + kDraftLength + 1);
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
    benchmark::DoNotOptimize(
        model.forward(rows_behind(kContext, kDraftLength + 1), *cache).logits.data());
    times.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + 10);
  return times[10];
}

class Verification {
 public:
  Verification(const Logits& logits, const std::string& kind, const DraftShape& shape)
      : logits_(logits), verifier_(engines::make_verifier({.verifier = kind, .seed = 2})) {
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

void add(const Logits& logits, const std::string& kind, const DraftShape& shape, double whole_ns) {
  const auto verification = std::make_shared<Verification>(logits, kind, shape);
  for (int i = 0; i < 100; ++i)
    if ((*verification)().tested > kDraftLength)
      throw Error(ExitCode::invalid_measurement, kind + " tests more tokens than were drafted");
  benchmark::RegisterBenchmark(
      ("verification/" + kind + "/" + shape.name).c_str(),
      [verification, whole_ns](benchmark::State& state) {
        std::int64_t accepted = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (auto _ : state)
          accepted += static_cast<std::int64_t>((*verification)().accepted.size());
        const double ns =
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                .count() /
            static_cast<double>(state.iterations());
        state.counters["accepted"] =
            static_cast<double>(accepted) / static_cast<double>(state.iterations());
        state.counters["share_of_forward"] = ns / whole_ns;
      })
      ->UseRealTime();
}

}  // namespace

void run() {
  const auto engines = experiments::open_engines();
  const engines::LoadedModel target = engines->load_model({.model = "smollm2-135m"});
  const double whole_ns = forward_ns(*target.model);
  const Logits logits(static_cast<std::size_t>(target.model->info().vocab_size));
  std::printf("a forward of %d rows behind %d tokens: %.2f ms\n", kDraftLength + 1, kContext,
              whole_ns * 1e-6);
  for (const char* kind : engines::kLosslessVerifierKinds)
    if (std::string_view(kind) != "greedy") {
      add(logits, kind, kChain, whole_ns);
      if (engines::verifier_traits(kind).takes_trees) add(logits, kind, kTwoChains, whole_ns);
    }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
