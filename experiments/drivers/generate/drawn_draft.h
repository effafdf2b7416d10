#pragma once
// A round's draft as a person reads it: a line a token, with what drafter and target thought of it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "sim/core/draft.h"
#include "sim/core/records.h"
#include "sim/core/rules/rule.h"

namespace speclab::experiments {

class DrawnDraft {
 public:
  /// @param tokenizer  null where the model has none: then tokens are drawn as numbers
  explicit DrawnDraft(const engines::Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  /// The draft of the coming verdict; DecoderOptions::on_draft shows it.
  void keep(const Draft& draft, const TargetLaws<float>& target_laws);
  /// The kept draft, with the accepted path marked. @param emitted  tokens of the round, as many as a stop rule left
  std::string text(const RoundRecord& round, std::span<const Token> emitted) const;

 private:
  /// In the laws after the node's parent.
  struct Probabilities {
    std::optional<double> draft;  ///< missing where tokens are certain, not drawn
    double target;
  };
  std::vector<bool> accepted_nodes(const RoundRecord& round, std::span<const Token> emitted) const;
  void draw_children(TokenTree::Node parent, const std::string& indent, const std::vector<bool>& accepted, std::string& out) const;
  std::string name_of(Token token) const;

  const engines::Tokenizer* tokenizer_;
  TokenTree tree_{};
  std::vector<Probabilities> probabilities_{};
};

}  // namespace speclab::experiments
