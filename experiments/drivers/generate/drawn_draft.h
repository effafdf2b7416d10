#pragma once
// A round's draft as a person reads it, with what drafter and target thought of its tokens.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tables/text_samples.h"
#include "engines/interface/tokenizer.h"
#include "sim/core/draft.h"
#include "sim/core/records.h"
#include "sim/rules/rule.h"

namespace speclab::experiments {

/// The draft of one verdict, kept until the verdict is known.
class DrawnDraft {
 public:
  /// DecoderOptions::on_draft shows both. @param tokenizer  outlives it; null where the model has
  /// none: then tokens are shown as numbers
  DrawnDraft(const engines::Tokenizer* tokenizer, const Draft& draft,
             const TargetLaws<float>& target_laws);

  /// With the accepted path marked. @param emitted  tokens of the round, as many as a stop rule
  /// left
  analysis::DraftedRound round(const RoundRecord& round, std::span<const Token> emitted) const;

 private:
  /// In the laws after the node's parent.
  struct Probabilities {
    std::optional<double> draft;  ///< missing where tokens are chosen, not drawn
    double target;
  };
  std::vector<bool> accepted_nodes(const RoundRecord& round, std::span<const Token> emitted) const;
  std::string name_of(Token token) const;

  const engines::Tokenizer* tokenizer_;
  TokenTree tree_;
  std::vector<Probabilities> probabilities_;
};

/// A line a token.
std::string text_of(const analysis::DraftedRound& round);

}  // namespace speclab::experiments
