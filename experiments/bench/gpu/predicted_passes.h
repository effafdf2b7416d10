#pragma once
#include <string>
#include <vector>

#include "engines/models/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// How long a device takes, from few constants. Each is given thrice: as expected, and as it would be at best and at worst, which is what a row's low and
/// high are made of.
struct TimeModel {
  double read_gb_per_s;  ///< of weights and cached keys, once a pass
  double tflops;         ///< bfloat16 products, where they take longer than reading
  double row_share;      ///< by how much of reading each row beyond the first prolongs it
  double kernel_ms;      ///< of each dependent kernel beyond its bytes: start, first load, sums, end

  double pass_ms(const LlamaConfig& shape, int rows, int context) const;
  /// Of DeviceRounds: `drafts` passes of the drafter with a choice behind each, one pass of the target, verification.
  double round_ms(const LlamaConfig& target, const LlamaConfig& drafter, int drafts, int context) const;
  /// Plain decoding with the same rounds and no drafts.
  double plain_ms(const LlamaConfig& target, int context) const;
};

/// Rows of what passes of the shapes should take and, for targets of the shapes with the drafters of the papers' sizes, a drafted token, a round, and the
/// speed-up at given acceptance rates, taken as independent; for devices whose bandwidth is known.
void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes, const Sizes& sizes);

}  // namespace speclab::engines::cuda
