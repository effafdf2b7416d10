// What the speculative loop costs where nothing is drafted: drafter `none` beside the plain
// decoder, around the default model and around a model that costs nothing. Both must emit the same
// tokens before anything is timed.
//
// For figures: decoding_loop_bench --benchmark_enable_random_interleaving=true
// --benchmark_repetitions=30

#include <benchmark/benchmark.h>

#include "experiments/bench/bench_main.h"
#include "experiments/bench/decoding_loop/null_model.h"
#include "experiments/drivers/program/engines_loader.h"
#include "sim/policies/constant_policy.h"
#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

constexpr std::int32_t kNewTokens = 32;

struct Setting {
  engines::LanguageModel* model;
  double temperature;
};

std::unique_ptr<engines::RoundDecoder> make_decoder(engines::Engines& engines,
                                                    const Setting& setting, const char* drafter) {
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

void expect_equal_tokens(engines::Engines& engines, const Setting& setting) {
  const auto plain = make_decoder(engines, setting, "plain"),
             none = make_decoder(engines, setting, "none");
  if (generate(*plain) != generate(*none))
    throw Error(ExitCode::invalid_measurement,
                "drafter none and the plain decoder emit different tokens");
}

void add(engines::Engines& engines, const std::string& model_name, const Setting& setting) {
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
}  // namespace speclab::bench

namespace speclab::bench {
namespace {}  // namespace

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
