#include "engines/drafters/copy_record.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::engines {

std::size_t CopyRecord::place_of(std::size_t suffix) {
  SPECLAB_EXPECT(suffix >= 1, "a copy behind no suffix");
  return std::min(suffix, kBefore.size()) - 1;
}

void CopyRecord::add(std::size_t suffix, bool came_true) {
  Count& count = counts_[place_of(suffix)];
  ++count.copies;
  count.came_true += came_true ? 1 : 0;
}

double CopyRecord::expected(std::size_t suffix) const {
  const Count& count = counts_[place_of(suffix)];
  return (kWeightBefore * kBefore[place_of(suffix)] + count.came_true) /
         (kWeightBefore + count.copies);
}

}  // namespace speclab::engines
