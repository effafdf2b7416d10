#pragma once
// What a trained drafter was made of, in the manifest.json of its folder.

#include <nlohmann/json_fwd.hpp>

#include "engines/training/text_corpus.h"

namespace speclab::engines {

/// @param held_out  texts that were not trained on
nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out);
/// Name, SHA-256 and number of tokens of each file, and what FILE.source.json says of its origin.
/// @throws DataError if that is no JSON object
nlohmann::ordered_json text_json(const std::vector<Corpus>& corpora);
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

}  // namespace speclab::engines
