#pragma once
// From logits to the law that is sampled: the one chain that plain sampling, drafting and
// verification call.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/sampling_options.h"
#include "engines/sampling/cutoffs.h"
#include "engines/sampling/vocabulary_passes.h"
#include "sim/core/law.h"
#include "sim/core/token_tree.h"

namespace speclab::engines {

/// Processors in the order of Hugging Face's generate(): repetition penalty, no repeated n-grams,
/// minimal length, suppressed tokens, temperature, then the cutoffs. Temperature 0 gives a point
/// mass on the arg max of the processed scores, the lowest id on ties. Float runs on the
/// processor's kernels, double on plain code: both the same source but for the softmax.
template <typename Scalar>
class BasicLogitsPipeline {
 public:
  /// @param model  whose logits come, for messages
  /// @throws ConfigError if a setting is out of range
  explicit BasicLogitsPipeline(const SamplingOptions& options, std::string model = "the model");

  const SamplingOptions& options() const { return options_; }
  /// @param logits   [vocab]; minus infinity is probability 0
  /// @param history  prompt, output and the drafted path, in order; may be empty where
  /// options().looks_back() is false
  /// @param law      the result: a point mass, sparse where something is cut, else dense
  /// @throws ModelFileError naming the model if a logit is NaN or infinite, or all are minus
  /// infinity
  /// @throws ConfigError if a listed token is outside the vocabulary, or the settings leave no
  /// token
  void law(std::span<const Scalar> logits, std::span<const Token> history, BasicLaw<Scalar>& law);

 private:
  std::span<const Scalar> processed(std::span<const Scalar> logits, std::span<const Token> history);
  void require_finite(double value, std::span<const Scalar> logits) const;

  SamplingOptions options_;
  std::string model_;
  Cutoffs<Scalar> cutoffs_;
  VocabularyPasses passes_;
  std::vector<Scalar> scores_, probabilities_;
  std::vector<Token> tokens_;
};

using LogitsPipeline = BasicLogitsPipeline<float>;

extern template class BasicLogitsPipeline<float>;
extern template class BasicLogitsPipeline<double>;

/// What the processors that look back see at a node: the sequence so far and the drafted path to
/// the node. Left empty where none does.
inline void collect_history(const SamplingOptions& options, const std::vector<Token>& tokens,
                            const TokenTree& tree, TokenTree::Node node,
                            std::vector<Token>& history) {
  history.clear();
  if (!options.looks_back()) return;
  for (; node > 0; node = tree[node].parent) history.push_back(tree[node].token);
  std::reverse(history.begin(), history.end());
  history.insert(history.begin(), tokens.begin(), tokens.end());
}

}  // namespace speclab::engines
