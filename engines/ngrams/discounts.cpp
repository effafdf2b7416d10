#include "engines/ngrams/discounts.h"

#include <algorithm>

namespace speclab::engines {

Discounts::Discounts(const NgramLevel& level, Token boundary) {
  double num[4] = {};
  for (std::size_t c = 0; c < level.context_token.size(); ++c) {
    if (level.context_token[c] == boundary) continue;
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i)
      if (level.count[i] <= 4) ++num[level.count[i] - 1];
  }
  if (*std::min_element(num, num + 4) == 0) return;
  const double common = num[0] / (num[0] + 2 * num[1]);
  for (int i = 0; i < 3; ++i)
    by_count_[i] = std::clamp((i + 1) - (i + 2) * common * num[i + 1] / num[i], 0.05, i + 0.95);
}

}  // namespace speclab::engines
