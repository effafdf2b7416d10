#pragma once
// The shape of the trees that rounds on the device draft: as the kernels read it, and how many
// nodes and rows its levels have.

#include <vector>

#include "engines/cuda/round_state.h"
#include "sim/core/token_tree.h"

namespace speclab::engines::cuda {

class TreePlan {
 public:
  /// @param shape  at most kMaxDraftLength nodes, else ContractError
  explicit TreePlan(const TreeShape& shape);

  const DeviceShape& shape() const { return shape_; }
  std::int32_t depth() const { return static_cast<std::int32_t>(nodes_.size()) - 1; }
  /// Of a level, the root's being 0; those with children are what the drafter reads of it.
  std::int32_t nodes_on(std::int32_t level) const {
    return nodes_[static_cast<std::size_t>(level)];
  }
  std::int32_t parents_on(std::int32_t level) const {
    return parents_[static_cast<std::size_t>(level)];
  }
  /// On levels 0 to `level`.
  std::int32_t nodes_to(std::int32_t level) const;

 private:
  DeviceShape shape_{};
  std::vector<std::int32_t> nodes_, parents_;
};

}  // namespace speclab::engines::cuda
