#pragma once
// A model as a drafter reads it: what was emitted, then the levels of a draft, none of which it
// keeps.

#include <memory>
#include <span>
#include <vector>

#include "engines/interface/drafter.h"
#include "engines/interface/language_model.h"
#include "engines/interface/mlp_speculator.h"

namespace speclab::engines {

class DraftModel {
 public:
  virtual ~DraftModel() = default;

  virtual const ModelInfo& info() const = 0;
  bool reads_hidden() const { return info().feature_size > 0; }
  /// Bytes of weights and cache that it has read so far.
  virtual std::int64_t bytes_read() const = 0;
  /// Levels that it can draft.
  virtual std::int32_t most_levels() const = 0;
  /// @param spare  tokens that a sequence may grow by, rows of a tree included
  virtual void begin(std::span<const Sequence> sequences, std::int32_t spare) = 0;
  /// The target's states after tokens that it has just committed, in order. @param hidden  [count,
  /// the target's state_size]
  virtual void read_hidden(const Sequence& sequence, std::span<const float> hidden) = 0;
  /// Whether `levels` further tokens fit its context and, of one that reads hidden states, whether
  /// there is a state to draft from.
  virtual bool can_draft(const Sequence& sequence, std::int32_t levels) = 0;

  /// Reads the tokens emitted since the last call, the pending one included. A model that reads
  /// tokens alone also takes a text that differs from the one before, and forgets what differs.
  /// @return logits after it, one row
  virtual std::span<const float> read_emitted(const Sequence& sequence) = 0;
  /// Reads the last level. @param level_begin  its first node @return logits after the nodes from
  /// there on
  virtual ForwardResult read_level(const Sequence& sequence, const TokenTree& tree,
                                   TokenTree::Node level_begin) = 0;

  /// Brings a row of logits to the whole vocabulary: minus infinity outside the draft vocabulary.
  /// Valid until the next call.
  virtual std::span<const float> over_vocabulary(std::span<const float> logits);

 private:
  std::vector<float> vocabulary_row_;
};

/// A small language model with a cache of its own, and where it is a feature transformer beside the
/// target's hidden states.
///
/// Token t[j + 1] stands in a row beside the target's hidden state after t[j]; such a model's row j
/// then draws t[j + 2]. Drafted rows get the model's own hidden state of the row before in its
/// place, and nothing in the place of states of other layers. A model without features reads tokens
/// alone.
/// @param state_size  of the target's hidden states, of which the model reads the first
/// feature_size values; 0: as many as it reads
/// @source Li et al. 2024, EAGLE, section 4.1: drafting at the level of features
std::unique_ptr<DraftModel> transformer_draft_model(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t state_size = 0);
/// Stages behind the target's last hidden state; a level of the draft is read by the stage of its
/// depth. @param state_size  as above
std::unique_ptr<DraftModel> mlp_draft_model(std::shared_ptr<MlpSpeculator> model,
                                            std::int32_t state_size = 0);

}  // namespace speclab::engines
