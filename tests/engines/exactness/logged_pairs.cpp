#include <algorithm>
#include <numeric>

#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/exactness/real_pairs.h"

namespace speclab::engines::testing {
namespace {

/// Both laws on the tokens that are likeliest in their sum, the last entry being all others.
LawPair reduced(const Law& p, const Law& q) {
  std::vector<Token> tokens(p.vocab_size());
  std::iota(tokens.begin(), tokens.end(), 0);
  std::ranges::partial_sort(tokens, tokens.begin() + kVocab - 1, std::greater<>(),
                            [&](Token token) { return p[token] + q[token]; });
  tokens.resize(kVocab - 1);
  const auto values = [&](const Law& law) {
    std::vector<float> kept;
    double rest = 1.0;
    for (const Token token : tokens) {
      kept.push_back(law[token]);
      rest -= static_cast<double>(law[token]);
    }
    kept.push_back(static_cast<float>(std::max(rest, 1e-9)));
    return Law::dense(kept);
  };
  return {values(p), values(q)};
}

/// Real pairs of laws, logged while the default model writes.
std::vector<LawPair> logged_pairs() {
  const auto engines = experiments::open_engines();
  const auto loaded = engines->load_model({.model = "smollm2-135m", .device = "cpu"});
  std::vector<LawPair> pairs;
  DecoderOptions options{.stop = {.max_new_tokens = 64, .ignore_eos = true},
                         .drafter = {.kind = "small_transformer"},
                         .seed = 4};
  options.on_draft = [&](const Draft& draft, const TargetLaws<float>& laws) {
    for (TokenTree::Node node = 0; node + 1 < draft.tree.size() && pairs.size() < kContexts; ++node)
      pairs.push_back(reduced(laws(node), draft.law_at(node)));
  };
  const auto decoder = engines->make_decoder(*loaded.model, nullptr, options);
  std::uint32_t id = 0;
  for (const auto& prompt : experiments::read_prompts({.set = "core", .per_category = 1})) {
    if (pairs.size() == kContexts) break;
    decoder->begin({{id++, loaded.tokenizer->encode(prompt.text, SpecialText::parsed)}},
                   ConstantPolicy(1));
    while (decoder->round() && pairs.size() < (id * kContexts) / 7 + 1) {
    }
    decoder->finish();
  }
  return pairs;
}

}  // namespace

const std::vector<LawPair>& real_pairs() {
  static const std::vector<LawPair> all = logged_pairs();
  return all;
}

}  // namespace speclab::engines::testing
