#pragma once
// Models and devices by name, for the roofline.

#include <string>
#include <vector>

#include "sim/analytic/roofline.h"

namespace speclab::sim {

/// Sizes of a decoder. Only its matrices count: biases and norms are a thousandth of them.
struct TransformerShape {
  int layers = 0;
  int hidden = 0;
  int feed_forward = 0;
  int attention_width = 0;  ///< query heads times their width
  int kv_width = 0;         ///< key-value heads times their width
  int vocab = 0;
  int feed_forward_matrices = 3;  ///< 3 with a gate, 2 without
  int attention_blocks = 1;       ///< 2 where a decoder also attends to an encoder

  /// Multiplied once a row: all matrices and the output head; the input embedding is only looked
  /// up.
  double forward_parameters() const;
  /// Of the roofline, keys and values in the same width as weights.
  /// @throws ContractError unless bytes_per_parameter > 0
  ModelShape model_shape(double bytes_per_parameter) const;
};

/// @throws ConfigError on an unknown name, listing all
TransformerShape named_model(const std::string& name);

/// Peak figures of data sheets (dense products in 16 bit), of which real forwards reach a part;
/// "h200_measured" holds measured ones. No launch time: fit it.
/// @throws ConfigError on an unknown name, listing all
DeviceRates named_device(const std::string& name);
std::vector<std::string> device_names();

}  // namespace speclab::sim
