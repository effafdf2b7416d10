#pragma once
#include <optional>
#include <string>

#include "sim/core/records.h"

namespace speclab::experiments {

/// A text that rounds made.
struct Outcome {
  GenerationRecord record;
  std::string text;
};

inline double tokens_per_round(const GenerationRecord& record) {
  return static_cast<double>(record.output_ids.size()) / static_cast<double>(record.rounds.size());
}

inline double bytes_per_token(const GenerationRecord& record) {
  return static_cast<double>(record.read.total()) / static_cast<double>(record.output_ids.size());
}

/// Energy of decoding, by the tokens that were kept.
inline std::optional<double> joules_per_token(const GenerationRecord& record) {
  if (!record.energy) return std::nullopt;
  return record.energy->joules / static_cast<double>(record.output_ids.size());
}

}  // namespace speclab::experiments
