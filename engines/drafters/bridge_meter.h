#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engines/interface/drafter.h"
#include "engines/interface/shared_vocabulary.h"

namespace speclab::engines {

/// Work of a bridge for each sequence of a batch.
class BridgeMeter {
 public:
  /// @param bridge  one of kBridgeNames
  BridgeMeter(std::string bridge, std::shared_ptr<const SharedVocabulary> shared)
      : bridge_(std::move(bridge)), shared_(std::move(shared)) {}

  void begin(std::size_t num_sequences) {
    uses_.assign(num_sequences, {.bridge = bridge_, .overlap = shared_->overlap()});
  }
  BridgeUse& of(const Sequence& sequence) {
    return uses_[static_cast<std::size_t>(sequence.index)];
  }
  /// All work for the sequence so far, its emitted tokens looked up.
  BridgeUse use(const Sequence& sequence) const {
    BridgeUse use = uses_[static_cast<std::size_t>(sequence.index)];
    use.unshared_outputs =
        std::count_if(sequence.tokens.begin() + sequence.prompt_length, sequence.tokens.end(),
                      [&](Token t) { return shared_->to_draft(t) == SharedVocabulary::kNone; });
    return use;
  }

 private:
  std::string bridge_;
  std::shared_ptr<const SharedVocabulary> shared_;
  std::vector<BridgeUse> uses_;
};

/// A drafter over shared tokens, each of which is one of the drafter's; the model within writes the
/// time of spelling into the meter.
std::unique_ptr<Drafter> metered_drafter(std::unique_ptr<Drafter> drafter,
                                         std::shared_ptr<BridgeMeter> meter);

}  // namespace speclab::engines
