#pragma once
// Where the tensors of one model file lie; the common part of the formats' WeightSources.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/formats/weight_source.h"

namespace speclab::engines {

class TensorTable {
 public:
  /// @return false if the name is there already
  bool insert(TensorInfo info);
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  bool contains(const std::string& name) const { return index_.count(name) != 0; }
  /// Place of `name` in tensors(). @throws ModelFileError naming `path` and the nearest name
  std::size_t index_of(const std::string& name, const std::string& path) const;

 private:
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace speclab::engines
