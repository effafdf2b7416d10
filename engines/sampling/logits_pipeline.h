#pragma once
// From logits to the law that is sampled: the one chain that plain sampling, drafting and verification call.

#include <span>
#include <string>
#include <vector>

#include "engines/interface/sampling_options.h"
#include "sim/core/law.h"

namespace speclab::engines {

/// Processors in the order of Hugging Face's generate(): repetition penalty, temperature, top-k, top-p, min-p.
/// Temperature 0 gives a point mass on the arg max after the penalty. Ties go to the lowest id, except that top-k keeps all
/// tokens that tie with the k-th, as generate() does.
class LogitsPipeline {
 public:
  /// @param model  whose logits come, for messages
  /// @throws ConfigError if a setting is out of range
  explicit LogitsPipeline(const SamplingOptions& options, std::string model = "the model");

  const SamplingOptions& options() const { return options_; }
  /// @param logits   [vocab], float32; minus infinity is probability 0
  /// @param history  tokens that the repetition penalty counts: prompt, output and the drafted path
  /// @param law      the result: a point mass, sparse where top-k, top-p or min-p cut, else dense
  /// @throws ModelFileError naming the model if a logit is NaN or infinite, or all are minus infinity
  void law(std::span<const float> logits, std::span<const Token> history, Law& law);

 private:
  std::span<const float> penalised(std::span<const float> logits, std::span<const Token> history);
  void require_finite(double value) const;
  bool truncates() const;
  void truncate(std::span<const float> probabilities, Law& law);
  void keep_top_k(std::span<const float> probabilities);
  void keep_top_p();
  void keep_min_p();

  SamplingOptions options_;
  std::string model_;
  std::vector<float> penalised_, probabilities_;
  std::vector<Token> penalised_tokens_;
  std::vector<LawEntry<float>> kept_;
};

}  // namespace speclab::engines
