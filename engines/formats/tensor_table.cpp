#include "engines/formats/tensor_table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "engines/formats/input_file.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// @source Levenshtein 1966; one row of the table at a time
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, substituted}));
    }
  }
  return row.back();
}

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
  throw_model_file_error(path, 0, {"tensor '" + escaped(name, 64) + "'", "missing", "present", nearest_name(tensors_, name)});
}

}  // namespace speclab::engines
