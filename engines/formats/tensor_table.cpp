#include "engines/formats/tensor_table.h"

#include <limits>
#include <utility>

#include "engines/formats/input_file.h"
#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

std::string nearest_name(const std::vector<TensorInfo>& tensors, const std::string& name) {
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  const TensorInfo* best = nullptr;
  for (const TensorInfo& tensor : tensors) {
    const std::size_t distance = edit_distance(name, tensor.name);
    if (distance < best_distance) best_distance = distance, best = &tensor;
  }
  return best ? "nearest is '" + escaped(best->name, 64) + "'" : "the file has no tensors";
}

}  // namespace

bool TensorTable::insert(TensorInfo info) {
  if (!index_.emplace(info.name, tensors_.size()).second) return false;
  tensors_.push_back(std::move(info));
  return true;
}

std::size_t TensorTable::index_of(const std::string& name, const std::string& path) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  throw_model_file_error(
      path, 0,
      {"tensor '" + escaped(name, 64) + "'", "missing", "present", nearest_name(tensors_, name)});
}

}  // namespace speclab::engines
