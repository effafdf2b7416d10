#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engines/interface/drafter.h"

namespace speclab::engines {

/// Work of a bridge for each sequence of a batch.
class BridgeMeter {
 public:
  /// @param bridge  one of kBridges
  explicit BridgeMeter(std::string bridge) : bridge_(std::move(bridge)) {}

  void begin(std::size_t num_sequences) { uses_.assign(num_sequences, {.bridge = bridge_}); }
  BridgeUse& of(const Sequence& sequence) {
    return uses_[static_cast<std::size_t>(sequence.index)];
  }
  const BridgeUse& of(const Sequence& sequence) const {
    return uses_[static_cast<std::size_t>(sequence.index)];
  }

 private:
  std::string bridge_;
  std::vector<BridgeUse> uses_;
};

/// A drafter over shared tokens, each of which is one of the drafter's; the model within writes the
/// time of spelling into the meter.
std::unique_ptr<Drafter> metered_drafter(std::unique_ptr<Drafter> drafter,
                                         std::shared_ptr<BridgeMeter> meter);

}  // namespace speclab::engines
