#pragma once
#include <optional>
#include <string>

#include "sim/core/training_record.h"

namespace speclab::engines {

/// What manifest.json in the folder of a trained drafter tells of held-out text of temperature 1;
/// where none has that, of the last that it tells of. Nothing where there is no such folder, or a
/// manifest of somebody else: one without `tokens` or `held_out`.
/// @throws ModelFileError if it is no JSON, or what it tells cannot be
std::optional<TrainingRecord> read_training_record(const std::string& folder);

}  // namespace speclab::engines
