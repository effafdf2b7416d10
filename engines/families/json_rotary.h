#pragma once
#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// How a family's config.json speaks of rotary positions, and what holds where it says nothing.
struct RotaryRule {
  double theta = 10000;
  double part = 1;          ///< of a head's values that turn
  bool turns_part = false;  ///< a file may say another part than 1
  double window_theta = 0;  ///< of layers with a window, which have a table of rope_parameters of
                            ///< their own: Gemma 3; 0: one table serves all layers
  const char* theta_key = "rope_theta";            ///< beside the tables
  const char* part_key = "partial_rotary_factor";  ///< likewise
};

/// Rotary base, part and scaling of a config.json. Transformers 4 writes rope_theta and
/// rope_scaling ("type" in the oldest files), transformers 5 rope_parameters. What several of them
/// say must be the same.
/// @throws ModelFileError naming the field
void read_json_rotary(const JsonNode& config, const RotaryRule& rule, DecoderShape& shape);

/// The scaling that a table says: the object of rope_scaling or of rope_parameters.
/// @param config  of the table: where the original context may stand too
/// @param shape   with its context and the part of a head that turns
/// @throws ModelFileError if a number that the kind needs is missing or impossible, or a key is
/// unknown
RotaryScaling read_json_scaling(const JsonNode& table, const JsonNode& config,
                                const DecoderShape& shape);

}  // namespace speclab::engines
