#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generate/generate_options.h"
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

inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// Key `settings` of what `generate --json` prints: the model, and the options of rounds.
nlohmann::ordered_json settings_json(const GenerateOptions& options,
                                     const engines::ModelInfo& model);

/// The object that `generate --json` prints of a text that rounds made.
nlohmann::ordered_json outcome_json(const GenerateOptions& options, const engines::ModelInfo& model,
                                    const engines::Request& request, const Outcome& outcome);

/// A line of `--stream json`: a token of the last round.
/// @param record  with log-probabilities
/// @param text    the piece that the token completes; null where the model has no tokenizer
nlohmann::ordered_json token_json(const GenerationRecord& record, std::size_t index,
                                  const std::string* text);

/// One line; bytes that are no text become U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// Key `bridge` of what `generate --json` prints; null where both models share a tokenizer.
nlohmann::ordered_json bridge_json(const GenerationRecord& record);
/// A sentence on how drafts crossed between two tokenizers; empty where they did not.
std::string bridge_note(const GenerationRecord& record);

}  // namespace speclab::experiments
