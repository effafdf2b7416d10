#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "engines/families/catalogue.h"
#include "experiments/bench/gpu/measuring.h"

namespace speclab::engines::cuda {

/// How long a device takes, from few constants.
struct TimeModel {
  double read_gb_per_s;  ///< of weights and cached keys, once a pass
  double tflops;         ///< bfloat16 products, where they take longer than reading
  double row_share;      ///< by how much of reading each row beyond the first prolongs it
  double kernel_ms;  ///< of each dependent kernel beyond its bytes: start, first load, sums, end

  double pass_ms(const DecoderShape& shape, int rows, int context) const;
  /// Of DeviceRounds: `drafts` passes of the drafter with a choice behind each, one pass of the
  /// target, verification.
  double round_ms(const DecoderShape& target, const DecoderShape& drafter, int drafts,
                  int context) const;
  /// Plain decoding with the same rounds and no drafts.
  double plain_ms(const DecoderShape& target, int context) const;
};

/// A device, and the time model at its best, as expected and at its worst.
struct KnownDevice {
  const char* name;
  TimeModel best, expected, worst;

  /// A figure as expected, and its extremes over all mixtures of the three models' constants.
  template <typename Figure>
  Measured of(const Figure& figure) const {
    Measured all{figure(expected), figure(expected), figure(expected), 0};
    for (const TimeModel* reading : {&best, &expected, &worst})
      for (const TimeModel* rows : {&best, &expected, &worst})
        for (const TimeModel* kernels : {&best, &expected, &worst}) {
          const double value = figure(TimeModel{reading->read_gb_per_s, reading->tflops,
                                                rows->row_share, kernels->kernel_ms});
          all.low = std::min(all.low, value), all.high = std::max(all.high, value);
        }
    return all;
  }
};

/// The H100 and the H200. Their read bandwidths are measured (results/reference/gpu_engine_h100,
/// gpu_h200).
const std::vector<KnownDevice>& known_devices();

/// Whether the engine runs rounds of this pair: one vocabulary; and whether the drafter is small
/// enough to be one.
bool is_pair(const DecoderShape& target, const DecoderShape& drafter);

/// Rows of what passes of the shapes should take and, for targets of the shapes with drafters of
/// the papers' sizes, a drafted token, a round, and the speed-up at given acceptance rates, taken
/// as independent.
void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes,
             const Sizes& sizes);

}  // namespace speclab::engines::cuda
