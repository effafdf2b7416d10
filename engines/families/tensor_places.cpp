#include "engines/families/tensor_places.h"

#include <algorithm>

namespace speclab::engines {

std::vector<TensorPlace> joined_places(std::span<const TensorPlace> base,
                                       std::span<const TensorPlace> more) {
  std::vector<TensorPlace> places(base.begin(), base.end());
  places.insert(places.end(), more.begin(), more.end());
  return places;
}

std::vector<TensorPlace> replaced_places(std::span<const TensorPlace> base,
                                         std::span<const TensorPlace> own) {
  std::vector<TensorPlace> places;
  for (const TensorPlace& place : base)
    if (std::ranges::none_of(own, [&](const TensorPlace& o) { return o.role == place.role; }))
      places.push_back(place);
  places.insert(places.end(), own.begin(), own.end());
  return places;
}

}  // namespace speclab::engines
