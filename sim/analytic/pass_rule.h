#pragma once
// How long a pass of few rows takes on a device: what it reads, and what each layer waits.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/analytic/roofline.h"

namespace speclab::sim {

/// A decoder as the CUDA engine runs it: bfloat16 weights, keys and values.
struct PassShape {
  TransformerShape sizes;
  int head_width = 64;  ///< 64 or 128; it says how many keys one block of attention takes

  double read_bytes(int context) const;
  /// Whether a head's keys need several blocks, whose results are joined through memory.
  bool is_joined(int rows, int context) const;
};

/// A shape by its name, or "HIDDENxINTERMEDIATExLAYERS": SmolLM2's heads of 64 in groups of 3 and
/// its vocabulary in these sizes, as the model "widened:..." has them.
/// @throws ConfigError naming what is allowed
PassShape pass_shape(const std::string& text);

struct PassLoad {
  int rows = 1;     ///< of one sequence, 1 to kMostRuleRows
  int context = 0;  ///< tokens in the cache before them, >= 0
};
/// Rows beyond which the engine takes another form of the products, which the rule does not know.
inline constexpr int kMostRuleRows = 16;

/// pass = bytes / rate + layers x latency + rows x (activations, query rows) + ends.
struct PassRule {
  double read_gb_per_s = 0;       ///< of weights, keys and values, once a pass
  double ends_us = 0;             ///< embedding, and the head beyond its bytes
  double join_us = 0;             ///< a layer less, where one block has all keys of a head
  double layer_us = 0;            ///< of a layer of one row beyond its bytes
  double activations = 0;         ///< of the bytes' time, for each row beyond the first
  double row_us = 0;              ///< of a layer, for each row beyond the first
  double second_us = 0;           ///< of a layer whose products have a second set of eight rows
  double second_activations = 0;  ///< of the bytes' time, for each row of the second set

  /// @throws ContractError unless the load is in range
  double pass_us(const PassShape& shape, const PassLoad& load) const;
};

/// A pass that was timed.
struct TimedPass {
  PassShape shape;
  PassLoad load;
  double us = 0;  ///< > 0
};

/// The five constants that make the sum of squared relative errors smallest. Rate, ends and join
/// are measured apart and stay.
/// @throws ContractError if fewer than five passes are given or their loads do not tell the
/// constants apart
/// @source ours
PassRule fitted_pass_rule(const PassRule& measured_apart, std::span<const TimedPass> passes);

/// The largest relative error at up to 4, up to 8 and up to 16 rows.
struct PassErrors {
  double four_rows = 0, eight_rows = 0, sixteen_rows = 0;

  double at(int rows) const {
    return rows <= 4 ? four_rows : rows <= 8 ? eight_rows : sixteen_rows;
  }
  void add(int rows, double error);
};

/// A timed pass beside what the rule says that was fitted without its shape.
struct LeftOutPass {
  TimedPass pass;
  std::size_t group = 0;  ///< the pass's
  double predicted_us = 0;

  double error() const { return predicted_us / pass.us - 1.0; }
};

/// All passes, each by the rule that was fitted to the other groups.
/// @param groups  passes of one shape each, at least two groups @throws as fitted_pass_rule
std::vector<LeftOutPass> left_out_passes(const PassRule& measured_apart,
                                         std::span<const std::vector<TimedPass>> groups);
PassErrors largest_errors(std::span<const LeftOutPass> passes);

}  // namespace speclab::sim
