#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/outcome.h"

namespace speclab::experiments {

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

}  // namespace speclab::experiments
