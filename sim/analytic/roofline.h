#pragma once
// How long a forward takes at least: bytes over bandwidth or operations over rate, whichever is
// more, and the launch.

#include <string>
#include <vector>

namespace speclab::sim {

/// What a forward of a model reads and computes.
struct ModelShape {
  double weight_bytes = 0.0;        ///< W: read once a forward, > 0
  double parameters = 0.0;          ///< N: multiplied once a row, > 0
  double kv_bytes_per_token = 0.0;  ///< keys and values of one token, >= 0
};

struct DeviceRates {
  double bandwidth_bytes_per_s = 0.0;  ///< of its memory, > 0
  double flop_per_s = 0.0;             ///< of dense products, > 0
  double launch_s = 0.0;  ///< of one forward, >= 0; fit it on the machine, the data sheet has none
};

struct ForwardLoad {
  int batch = 1;    ///< sequences B, >= 1
  int rows = 1;     ///< of all sequences together, >= batch
  int context = 0;  ///< cached tokens of each sequence, >= 0
};

/// max((W + B context kv) / bandwidth, 2 N rows / rate) + launch, in milliseconds. Real machines
/// overlap the two imperfectly.
/// @throws ContractError if a field is out of range
/// @source Williams et al. 2009 (roofline); MagicDec (Chen et al. 2024), Section 3.2
double forward_time_ms(const ModelShape& model, const DeviceRates& device, const ForwardLoad& load);

/// Rows from which on a forward without context is bound by arithmetic: rate bytes_per_parameter /
/// (2 bandwidth).
/// @throws ContractError if an argument is out of range
/// @source Williams et al. 2009, the ridge point
double ridge_rows(const DeviceRates& device, double bytes_per_parameter);

/// Time of a token at least, if the weights cross a link for each forward: bytes / rate, in
/// seconds.
/// @throws ContractError unless both are positive
/// @source Sequoia (Chen et al. 2024), authors' post on off-loading
double offload_token_time_s(double weight_bytes, double link_bytes_per_s);

// Models and devices by name, for the roofline.

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
