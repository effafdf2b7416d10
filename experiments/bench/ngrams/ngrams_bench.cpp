// What n-gram drafters cost: training (tokens a second on one core), the law after a context, and
// looking up the end of a 4,096-token sequence after every emitted token. The text is made up, with
// a long tail like that of language; laws are checked against asking for every token, and matches
// against a scan, before anything is timed.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "engines/drafters/ngram_laws.h"
#include "engines/drafters/prompt_matches.h"
#include "engines/ngrams/ngram_estimation.h"
#include "experiments/bench/bench_main.h"
#include "experiments/bench/ngrams/made_up_text.h"

namespace speclab::bench {
namespace {

using engines::NgramModel;
using Tokens = std::vector<Token>;

constexpr std::size_t kTrainingTokens = 1'000'000;
constexpr std::size_t kContext = 4'096;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ExitCode::invalid_measurement, what);
}

void check_laws(const NgramModel& model, const Tokens& text) {
  std::vector<LawEntry<float>> likely;
  for (std::size_t i = 10; i < text.size(); i += text.size() / 40) {
    const std::span context = std::span(text).first(i);
    model.most_likely(context, likely);
    for (std::size_t k = 0; k < likely.size(); ++k)
      if (likely[k].probability !=
              static_cast<float>(model.probability(context, likely[k].token)) ||
          (k > 0 && likely[k].probability > likely[k - 1].probability))
        fail("a law is not the model's");
    for (Token token = 0; token < kTextVocab; token += 997)
      if (model.probability(context, token) > static_cast<double>(likely.back().probability) &&
          std::ranges::count(likely, token, &LawEntry<float>::token) == 0)
        fail("a law lacks a likely token");
  }
}

void check_matches(const Tokens& text) {
  engines::PromptMatches matches({});
  engines::Sequence sequence;
  for (const Token token : text) {
    sequence.tokens.push_back(token);
    const Tokens& all = sequence.tokens;
    std::size_t found = all.size();
    for (std::size_t n = std::min<std::size_t>(3, all.size() - 1); n > 0 && found == all.size();
         --n) {
      const auto match = std::find_end(all.begin(), all.end() - 1,
                                       all.end() - static_cast<std::ptrdiff_t>(n), all.end());
      if (match != all.end() - 1) found = static_cast<std::size_t>(match - all.begin()) + n;
    }
    if (matches.continuation(sequence).size() != all.size() - found)
      fail("a match is not the scan's");
  }
}

void add_training(const Tokens& text, std::int32_t order) {
  benchmark::RegisterBenchmark(
      ("train_ngrams/order:" + std::to_string(order)).c_str(),
      [&text, order](benchmark::State& state) {
        const engines::NgramText span{text};
        for (auto _ : state)
          benchmark::DoNotOptimize(
              engines::estimate_ngrams({&span, 1}, kTextVocab, {.order = order}).num_ngrams());
        state.counters["tokens_per_s"] = benchmark::Counter(
            static_cast<double>(text.size() * state.iterations()), benchmark::Counter::kIsRate);
      })
      ->Unit(benchmark::kMillisecond);
}

/// Contexts from `contexts`, in an order that no cache foresees.
template <typename Look>
void add_lookup(const std::string& name, const Tokens& contexts, Look look) {
  benchmark::RegisterBenchmark(name.c_str(), [&contexts, look](benchmark::State& state) mutable {
    std::size_t at = 8;
    for (auto _ : state) {
      look(std::span(contexts).subspan(at - 8, 8));
      at = 8 + (at + 7919) % (contexts.size() - 8);
    }
    state.counters["laws_per_s"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  });
}

void add_lookups(const std::string& name, const std::shared_ptr<const NgramModel>& model,
                 const Tokens& contexts) {
  check_laws(*model, contexts);
  add_lookup(
      "most_likely/" + name, contexts,
      [model, likely = std::vector<LawEntry<float>>()](std::span<const Token> context) mutable {
        model->most_likely(context, likely);
        benchmark::DoNotOptimize(likely.data());
      });
  for (const double temperature : {0.0, 0.7, 1.0})
    add_lookup("law/" + name + "/temperature:" + std::to_string(temperature).substr(0, 3), contexts,
               [laws = engines::NgramLaws(model, temperature),
                law = Law()](std::span<const Token> context) mutable {
                 laws.set_context(context);
                 laws.fill(law);
                 benchmark::DoNotOptimize(&law);
               });
}

/// Every iteration is a round that emitted `emitted` tokens behind a context of kContext; the batch
/// starts anew, untimed, after 64.
void add_prompt_lookup(const std::string& name, const Tokens& text, std::size_t emitted) {
  benchmark::RegisterBenchmark(
      ("prompt_lookup/" + name + "/emitted:" + std::to_string(emitted)).c_str(),
      [&text, emitted](benchmark::State& state) {
        engines::PromptMatches matches({});
        engines::Sequence sequence;
        std::size_t rounds = 64;
        for (auto _ : state) {
          if (rounds == 64) {
            state.PauseTiming();
            sequence.tokens.assign(text.begin(), text.begin() + kContext);
            matches.continuation(sequence);
            rounds = 0;
            state.ResumeTiming();
          }
          const auto next =
              text.begin() + static_cast<std::ptrdiff_t>(kContext + rounds++ * emitted);
          sequence.tokens.insert(sequence.tokens.end(), next,
                                 next + static_cast<std::ptrdiff_t>(emitted));
          benchmark::DoNotOptimize(matches.continuation(sequence).data());
        }
      });
}

}  // namespace

void run() {
  const Tokens training = made_up_text(kTrainingTokens, 1), contexts = made_up_text(20'000, 2);
  const engines::NgramText span{training};
  for (const std::int32_t order : {1, 2, 5}) add_training(training, order);
  const engines::NgramText like_the_projects{
      std::span(training).first(training.size() / 10)};  // some 100,000 tokens
  for (const std::int32_t order : {1, 2, 5})
    add_lookups("order:" + std::to_string(order),
                std::make_shared<NgramModel>(engines::estimate_ngrams(
                    {&like_the_projects, 1}, kTextVocab, {.order = order})),
                contexts);
  add_lookups(
      "order:5/ten_times_as_large",
      std::make_shared<NgramModel>(engines::estimate_ngrams({&span, 1}, kTextVocab, {.order = 5})),
      contexts);
  const Tokens random = made_up_text(kContext + 64 * 8, 5),
               repetitive = repetitive_text(kContext + 64 * 8), constant(kContext + 64 * 8, 7);
  for (const Tokens* text : {&random, &repetitive, &constant})
    check_matches(Tokens(text->begin(), text->begin() + 1500));
  for (const std::size_t emitted : {1, 8}) {
    add_prompt_lookup("random", random, emitted);
    add_prompt_lookup("repetitive", repetitive, emitted);
    add_prompt_lookup("constant", constant, emitted);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace speclab::bench
