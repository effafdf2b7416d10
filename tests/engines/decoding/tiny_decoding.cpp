#include "tests/engines/decoding/tiny_decoding.h"

#include <algorithm>
#include <map>

#include "tests/engines/drafters/ngram_drafting.h"

namespace speclab::engines::testing {
namespace {

/// Ascending.
std::vector<Token> most_frequent(const std::vector<std::vector<Token>>& texts, std::size_t count) {
  std::map<Token, int> occurrences;
  for (const std::vector<Token>& text : texts)
    for (const Token token : text) ++occurrences[token];
  std::vector<std::pair<int, Token>> ranked;
  for (const auto& [token, times] : occurrences) ranked.emplace_back(-times, token);
  std::ranges::sort(ranked);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
    tokens.push_back(ranked[i].second);
  std::ranges::sort(tokens);
  return tokens;
}

DecoderShape drafting_some_tokens(DecoderShape config) {
  for (Token token = 0; token < config.vocab_size; ++token)
    if (token % 3 != 2) config.draft_vocabulary.push_back(token);
  return config;
}

}  // namespace

TinyPair::TinyPair(const DecoderShape& config, float foreign, float scale, int threads)
    : target_(tiny_model(config, {.threads = threads, .weights = {.scale = scale}})),
      drafter_(tiny_model(config,
                          {.threads = threads, .weights = {.scale = scale, .foreign = foreign}})),
      drafter_of_some_tokens_(
          tiny_model(drafting_some_tokens(config),
                     {.threads = threads, .weights = {.scale = scale, .foreign = foreign}})),
      feature_drafter_(
          tiny_feature_model(config, {.threads = threads, .weights = {.scale = scale}})) {
  write_own_text(config);
  mlp_speculator_ = tiny_mlp_speculator(config, most_frequent(own_text_, 2), threads);
}

void TinyPair::write_own_text(const DecoderShape& config) {
  std::mt19937 random(17);
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 8; ++i)
    requests.push_back({i, random_tokens(random, config.vocab_size, 3)});
  for (const double temperature : {0.0, 0.3, 1.0}) {
    const auto decoder =
        plain({.sampling = {.temperature = temperature},
               .stop = {.max_new_tokens = std::min(100, config.context_length / 2)}});
    for (std::vector<Token>& text : output_ids(decode(*decoder, requests, 0)))
      own_text_.push_back(std::move(text));
  }
}

std::shared_ptr<const NgramModel> TinyPair::ngrams(const std::string& kind, const std::string&) {
  return ngrams_of(own_text_, target_->info().vocab_size,
                   {.order = kind == "unigram"  ? 1
                             : kind == "bigram" ? 2
                                                : 5,
                    .max_successors = 8});
}

std::unique_ptr<RoundDecoder> TinyPair::plain(const DecoderOptions& options,
                                              std::shared_ptr<const Tokenizer> tokenizer) {
  return std::make_unique<PlainDecoder>(*target_, std::move(tokenizer), options);
}

std::unique_ptr<RoundDecoder> TinyPair::speculative(const DecoderOptions& options,
                                                    std::shared_ptr<const Tokenizer> tokenizer) {
  return std::make_unique<HostRoundDecoder>(*target_, std::move(tokenizer), options,
                                            make_drafter(options, target_->info(), *this),
                                            make_verifier(options));
}

const std::vector<DrafterCase>& drafter_cases() {
  const std::vector<DrafterOptions> parts{
      {.kind = "feature_transformer"}, {.kind = "ngram"}, {.kind = "prompt_lookup", .weight = 2.0}},
      of_unequal_depth{{.kind = "mlp_speculator"},
                       {.kind = "bigram"},
                       {.kind = "lookup_transformer", .weight = 2.0}};
  static const std::vector<DrafterCase> cases{
      {"None", "none"},
      {"Unigram", "unigram"},
      {"Bigram", "bigram"},
      {"Ngram", "ngram"},
      {"PromptLookup", "prompt_lookup"},
      {"LookupNgram", "lookup_ngram"},
      {"Chain", "small_transformer"},
      {"ChainOfSomeTokens", "small_transformer", "chain", "some tokens"},
      {"TreeOfSomeTokens", "small_transformer", "2x2x1", "some tokens"},
      {"Tree4", "small_transformer", "4"},
      {"Tree2x2x1", "small_transformer", "2x2x1"},
      {"Tree3x1x2", "small_transformer", "3x1x2"},
      {"UnevenTree", "small_transformer", "parents:0,0,0,1,1,4"},
      {"BigramTree", "bigram", "2x2"},
      {"NgramBestFirst", "ngram", "best_first:6:3"},
      {"LookupNgramBeam", "lookup_ngram", "beam:6:3"},
      {"BestFirst", "small_transformer", "best_first:8:3"},
      {"Beam", "small_transformer", "beam:8:3"},
      {"FeatureBeam", "small_transformer", "beam:8:3", "features"},
      {"FeatureChain", "feature_transformer"},
      {"MlpChain", "mlp_speculator"},
      {"MlpTree", "mlp_speculator", "3x1x2"},
      {"MlpBestFirst", "mlp_speculator", "best_first:8:3"},
      {"MlpSuffixes", "mlp_speculator", "suffixes:5:5x3x2"},
      {"BestFirst5x3x2", "small_transformer", "best_first:20:5x3x2"},
      {"AdaptiveBestFirst", "small_transformer", "best_first:adaptive:3"},
      {"LookupTransformer", "lookup_transformer"},
      {"LookupTransformerBestFirst", "lookup_transformer", "best_first:8:3"},
      {"LookupFeatureTree", "lookup_transformer", "3x1x2", "features"},
      {"FeatureTree", "small_transformer", "parents:0,0,0,1,1,4", "features"},
      {"Mixture", "mixture", "chain", "", parts},
      {"MixtureTree", "mixture", "2x2x1", "", of_unequal_depth},
      {"MixtureBestFirst", "mixture", "best_first:8:3", "", of_unequal_depth},
  };
  return cases;
}

std::vector<GenerationRecord> decode(RoundDecoder& decoder, const std::vector<Request>& requests,
                                     int speculation_length) {
  return decode(decoder, requests, ConstantPolicy(speculation_length));
}

std::vector<GenerationRecord> decode(RoundDecoder& decoder, const std::vector<Request>& requests,
                                     const SpeculationLengthPolicy& policy) {
  decoder.begin(requests, policy);
  while (decoder.round()) {
  }
  return decoder.records();
}

int total_accepted(const std::vector<GenerationRecord>& records) {
  int accepted = 0;
  for (const GenerationRecord& record : records)
    for (const RoundRecord& round : record.rounds) accepted += round.accepted;
  return accepted;
}

std::vector<std::vector<Token>> output_ids(const std::vector<GenerationRecord>& records) {
  std::vector<std::vector<Token>> ids;
  for (const GenerationRecord& record : records) ids.push_back(record.output_ids);
  return ids;
}

}  // namespace speclab::engines::testing
