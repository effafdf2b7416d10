#pragma once
// The manifest.json of a trained drafter's folder: it is written of a training, and read again.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engines/training/text_corpus.h"
#include "sim/core/records.h"

namespace speclab::engines {

/// @param held_out  texts that were not trained on
nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out);
/// Name, SHA-256 and number of tokens of each file, and what FILE.source.json says of its origin.
/// @throws DataError if that is no JSON object
nlohmann::ordered_json text_json(const std::vector<Corpus>& corpora);
/// Adds `version`, the number that the drafter's folder ends with, if it is one of a version.
void add_version(const std::string& folder, nlohmann::ordered_json& manifest);
/// The manifest as it is written; what is no UTF-8 in it, as in the name of a file, is replaced.
std::string text_of(const nlohmann::ordered_json& manifest);
/// An object of texts.
nlohmann::ordered_json texts_json(const Provenance& texts);
/// Adds `config`, `provenance`, that of the last process of the training, and, where others were
/// before it, `earlier_provenance`.
/// @param origins  of the processes, the last one last, at least one: objects as texts_json makes
/// them
void add_provenance(const Provenance& config, const nlohmann::ordered_json& origins,
                    nlohmann::ordered_json& manifest);
/// Files and stretches that the target read.
nlohmann::ordered_json file_text_json(const TextOptions& text, std::int32_t held_out);

/// What manifest.json in the folder of a trained drafter tells of held-out text of temperature 1;
/// where none has that, of the last that it tells of. Nothing where there is no such folder, or a
/// manifest of somebody else: one without `tokens` or `held_out`.
/// @throws ModelFileError if it is no JSON, or what it tells cannot be
std::optional<TrainingRecord> read_training_record(const std::string& folder);

}  // namespace speclab::engines
