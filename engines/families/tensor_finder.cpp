#include "engines/families/tensor_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/models/tensor_forms.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

std::string with_number(std::string name, std::string_view mark, std::int32_t number) {
  const std::size_t at = name.find(mark);
  return at == std::string::npos ? name : name.replace(at, mark.size(), fmt::format("{}", number));
}

bool is_of_parts(const TensorPlace& place) {
  return std::string_view(place.name).find("{part}") != std::string_view::npos;
}

}  // namespace

FoundPlace TensorFinder::find(TensorRole role, std::int32_t layer) const {
  const TensorPlace *there = nullptr, *first = nullptr;
  for (const TensorPlace& place : layout_.places) {
    if (place.role != role || is_of_no_part(place)) continue;
    const std::string name = name_at(place, layer, 0);
    if (first == nullptr) first = &place;
    if (!file_->contains(name)) continue;
    if (file_->tensor(name).shape == sizes_at(place)) return {&place, names_at(place, layer)};
    if (there == nullptr) there = &place;
  }
  SPECLAB_EXPECT(first != nullptr, "a place for every role of the family");
  if (there != nullptr) return {there, names_at(*there, layer)};
  return {first, {name_at(*first, layer, 0)}};
}

std::vector<std::int64_t> TensorFinder::sizes_at(const TensorPlace& place) const {
  std::vector<std::int64_t> sizes = shape_of(place.role, shape_);
  if (is_of_parts(place)) sizes.erase(sizes.begin());
  if (place.form != Form::whole) sizes[row_dimension(place.role)] = stacked_rows(place.role);
  if (place.transposed) std::ranges::reverse(sizes);
  return sizes;
}

std::string TensorFinder::name_at(const TensorPlace& place, std::int32_t layer,
                                  std::int32_t part) const {
  return name_in_file(with_number(with_number(place.name, "{layer}", layer), "{part}", part));
}

std::vector<std::string> TensorFinder::buffer_names(std::int32_t layer) const {
  std::vector<std::string> names;
  for (const char* buffer : layout_.buffers)
    names.push_back(name_in_file(with_number(buffer, "{layer}", layer)));
  return names;
}

bool TensorFinder::is_of_no_part(const TensorPlace& place) const {
  return is_of_parts(place) && num_parts(place.role) == 0;
}

std::int64_t TensorFinder::rows(TensorRole role) const {
  return shape_of(role, shape_)[row_dimension(role)];
}

std::int64_t TensorFinder::stacked_rows(TensorRole role) const {
  std::int64_t all = 0;
  for (const TensorRole neighbour : neighbours_of(role)) all += rows(neighbour);
  return all;
}

std::int32_t TensorFinder::num_parts(TensorRole role) const {
  using enum TensorRole;
  if (role == query_norm) return shape_.num_heads;
  if (role == key_norm) return shape_.num_kv_heads;
  return shape_.num_experts;
}

/// A name with the base model's prefix or without, as the file has it.
std::string TensorFinder::name_in_file(const std::string& name) const {
  const std::string& prefix = layout_.prefix;
  if (!file_->contains(name) && !prefix.empty() && name.starts_with(prefix) &&
      file_->contains(name.substr(prefix.size())))
    return name.substr(prefix.size());
  return name;
}

std::vector<std::string> TensorFinder::names_at(const TensorPlace& place,
                                                std::int32_t layer) const {
  std::vector<std::string> names;
  for (std::int32_t part = 0; part < (is_of_parts(place) ? num_parts(place.role) : 1); ++part)
    names.push_back(name_at(place, layer, part));
  return names;
}

}  // namespace speclab::engines
