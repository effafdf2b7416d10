#pragma once
// The laws that n-gram drafters draw from and report.

#include <memory>
#include <vector>

#include "engines/drafters/next_tokens.h"
#include "engines/ngrams/ngram_model.h"

namespace speclab::engines {

class NgramLaws {
 public:
  /// @param temperature  of the sampling; 0 puts all mass on the most likely successor
  NgramLaws(std::shared_ptr<const NgramModel> model, double temperature)
      : model_(std::move(model)), temperature_(temperature) {}

  /// The last tokens of `text`, which are all that laws look at.
  void set_context(std::span<const Token> text);
  /// Those of the sequence and the path to a node.
  void set_context(const DraftPlace& place);

  /// The model's most likely successors of the context, to the power 1 / temperature, normalised.
  void fill(Law& law);
  /// The model's own, at temperature 1. Valid until the next call.
  std::span<const LawEntry<float>> most_likely(std::size_t count);
  double probability(Token token) const { return model_->probability(context_, token); }
  std::size_t vocab_size() const { return static_cast<std::size_t>(model_->vocab_size()); }

 private:
  std::size_t context_length() const { return static_cast<std::size_t>(model_->order()) - 1; }
  /// The successors' probabilities in the law.
  void temper();

  std::shared_ptr<const NgramModel> model_;
  double temperature_;
  std::vector<Token> context_, path_;
  std::vector<LawEntry<float>> entries_;
};

}  // namespace speclab::engines
