#pragma once
// Contrastive search over one prompt: likely tokens whose hidden state resembles no earlier one.

#include <functional>
#include <memory>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "engines/models/wrapped_models.h"
#include "engines/sampling/stop_rules.h"
#include "engines/search/row_scorer.h"

namespace speclab::engines {

/// All candidates of a step are rows of one forward, whose logits serve the next step.
/// @source Su et al. 2022, A Contrastive Framework for Neural Text Generation; as in transformers
/// 4.49
class ContrastiveSearch {
 public:
  /// @param target  outlives the search @param tokenizer  for ends; may be null
  /// @throws ConfigError if an option is out of range
  ContrastiveSearch(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                    const DecoderOptions& options);
  ContrastiveSearch(const ContrastiveSearch&) = delete;
  ContrastiveSearch& operator=(const ContrastiveSearch&) = delete;

  /// @param check  is called before every forward
  SearchRecord run(const Request& request, const std::function<void()>& check);

 private:
  void prefill(const Request& request);
  /// The likeliest tokens, with their probabilities as scores.
  std::vector<ScoredToken> candidates();
  std::size_t choose(const std::vector<ScoredToken>& candidates, const ForwardResult& result) const;
  Token step();
  void remember(std::span<const float> hidden);
  double largest_similarity(std::span<const float> hidden) const;

  CountedModel target_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  DecoderOptions options_;
  RowScorer scorer_;
  std::unique_ptr<KvCache> cache_;
  std::int32_t slot_ = 0;
  std::vector<Token> tokens_;
  std::vector<float> logits_;  ///< after the last token
  std::vector<float> states_;  ///< [tokens, hidden_size], each of length 1
  SearchRecord record_;
};

}  // namespace speclab::engines
