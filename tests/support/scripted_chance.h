#pragma once
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/core/chance.h"

namespace speclab::testing {

/// Decides as the shipping source does, by a list of uniforms in [0, 1), one a call, whatever the
/// key; throws when the list is used up.
class ScriptedChance final : public InversionChance {
 public:
  explicit ScriptedChance(std::vector<double> uniforms) : uniforms_(std::move(uniforms)) {}
  std::size_t num_used() const { return num_used_; }

 private:
  double uniform(const StreamKey&) override {
    if (num_used_ == uniforms_.size()) throw std::out_of_range("the script has no more draws");
    return uniforms_[num_used_++];
  }

  std::vector<double> uniforms_;
  std::size_t num_used_ = 0;
};

}  // namespace speclab::testing
