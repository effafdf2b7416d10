// What the speculative loop costs where nothing is drafted: drafter `none` beside the plain
// decoder, around the default model and around a model that costs nothing. Both must emit the same
// tokens before anything is timed.
//
// For figures: decoding_loop_bench --benchmark_enable_random_interleaving=true
// --benchmark_repetitions=30

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "engines/interface/language_model.h"
#include "experiments/bench/bench_main.h"
#include "experiments/drivers/program/engines_loader.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

/// A model whose forward costs nothing: what is left is the loop around it. Its arg max is always
/// the same token.
class NullModel final : public engines::LanguageModel {
 public:
  /// @param max_rows  of a forward
  NullModel(std::int32_t vocab_size, std::int32_t max_rows);

  const engines::ModelInfo& info() const override { return info_; }
  std::unique_ptr<engines::KvCache> make_cache(std::int32_t max_sequences,
                                               std::int32_t capacity) override;
  engines::ForwardResult forward(std::span<const engines::ForwardRow> rows,
                                 engines::KvCache& cache) override;

 private:
  engines::ModelInfo info_;
  std::vector<float> logits_;
};

/// Lengths without contents.
class NullCache final : public engines::KvCache {
 public:
  explicit NullCache(std::int32_t capacity) : capacity_(capacity) {}
  std::int32_t begin() override {
    lengths_.push_back(0);
    return static_cast<std::int32_t>(lengths_.size()) - 1;
  }
  std::int32_t fork(std::int32_t sequence) override {
    lengths_.push_back(length(sequence));
    return static_cast<std::int32_t>(lengths_.size()) - 1;
  }
  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override {
    at(sequence) += static_cast<std::int32_t>(rows.size());
  }
  void keep(std::int32_t, std::span<const std::int32_t>) override {}
  void truncate(std::int32_t sequence, std::int32_t length) override { at(sequence) = length; }
  void release(std::int32_t sequence) override { at(sequence) = 0; }
  std::int32_t length(std::int32_t sequence) const override {
    return lengths_[static_cast<std::size_t>(sequence)];
  }
  std::int32_t capacity() const override { return capacity_; }

 private:
  std::int32_t& at(std::int32_t sequence) { return lengths_[static_cast<std::size_t>(sequence)]; }

  std::int32_t capacity_;
  std::vector<std::int32_t> lengths_;
};

NullModel::NullModel(std::int32_t vocab_size, std::int32_t max_rows)
    : logits_(static_cast<std::size_t>(vocab_size) * static_cast<std::size_t>(max_rows)) {
  info_.name = "null";
  info_.vocab_size = vocab_size;
  info_.context_length = 8192;
  for (std::size_t row = 0; row < static_cast<std::size_t>(max_rows); ++row)
    logits_[row * static_cast<std::size_t>(vocab_size) + 7] = 1.0f;
}

std::unique_ptr<engines::KvCache> NullModel::make_cache(std::int32_t, std::int32_t capacity) {
  return std::make_unique<NullCache>(capacity);
}

engines::ForwardResult NullModel::forward(std::span<const engines::ForwardRow> rows,
                                          engines::KvCache&) {
  const auto wanting =
      static_cast<std::size_t>(std::ranges::count_if(rows, &engines::ForwardRow::wants_logits));
  return {std::span(logits_).first(wanting * static_cast<std::size_t>(info_.vocab_size)),
          info_.vocab_size};
}

constexpr std::int32_t kNewTokens = 32;

struct LoopSetting {
  engines::LanguageModel* model;
  double temperature;
};

std::unique_ptr<engines::RoundDecoder> make_decoder(engines::Engines& engines,
                                                    const LoopSetting& setting,
                                                    const char* drafter) {
  engines::DecoderOptions options;
  options.sampling.temperature = setting.temperature;
  options.stop = {.max_new_tokens = kNewTokens, .ignore_eos = true};
  options.drafter.kind = drafter;
  return engines.make_decoder(*setting.model, nullptr, options);
}

const std::vector<Token>& generate(engines::RoundDecoder& decoder) {
  const engines::Request request{0, {1, 2, 3, 4}};
  decoder.begin({request}, ConstantPolicy(0));
  while (decoder.round()) {
  }
  return decoder.records().front().output_ids;
}

void expect_equal_tokens(engines::Engines& engines, const LoopSetting& setting) {
  const auto plain = make_decoder(engines, setting, "plain"),
             none = make_decoder(engines, setting, "none");
  if (generate(*plain) != generate(*none))
    throw Error(ExitCode::invalid_measurement,
                "drafter none and the plain decoder emit different tokens");
}

void add(engines::Engines& engines, const std::string& model_name, const LoopSetting& setting) {
  expect_equal_tokens(engines, setting);
  for (const char* drafter : {"plain", "none"}) {
    const std::shared_ptr<engines::RoundDecoder> decoder = make_decoder(engines, setting, drafter);
    const std::string name =
        model_name + "/temperature:" + (setting.temperature == 0 ? "0" : "1") + "/" + drafter;
    benchmark::RegisterBenchmark(name.c_str(), [decoder](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(generate(*decoder).size());
      state.counters["tokens_per_s"] = benchmark::Counter(
          static_cast<double>(state.iterations() * kNewTokens), benchmark::Counter::kIsRate);
    })->UseRealTime();
  }
}

}  // namespace

void run() {
  const auto engines = experiments::open_engines();
  const engines::LoadedModel target = engines->load_model({.model = "smollm2-135m"});
  NullModel null_model(target.model->info().vocab_size, 1);
  for (const double temperature : {0.0, 1.0}) {
    add(*engines, "null", {&null_model, temperature});
    add(*engines, "smollm2-135m", {target.model.get(), temperature});
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // they hold decoders, whose target ends here
}

}  // namespace speclab::bench
