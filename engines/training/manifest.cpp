#include "engines/training/manifest.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

nlohmann::ordered_json file_json(const std::string& file) {
  nlohmann::ordered_json json{{"file", std::filesystem::path(file).filename().string()},
                              {"sha256", sha256_file(file)}};
  if (const nlohmann::ordered_json source = source_of(file); !source.is_null())
    json["source"] = source;
  return json;
}

}  // namespace

nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out) {
  return {{"prompts", own_text.prompts.size()},
          {"held_out", held_out},
          {"temperatures", own_text.temperatures},
          {"max_new_tokens", own_text.max_new_tokens},
          {"seed", own_text.seed}};
}

std::string text_of(const nlohmann::ordered_json& manifest) {
  return manifest.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json texts_json(const Provenance& texts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, text] : texts) json[key] = text;
  return json;
}

void add_provenance(const Provenance& config, const nlohmann::ordered_json& origins,
                    nlohmann::ordered_json& manifest) {
  manifest["config"] = texts_json(config);
  manifest["provenance"] = origins.back();
  for (std::size_t i = 0; i + 1 < origins.size(); ++i)
    manifest["earlier_provenance"].push_back(origins[i]);
}

nlohmann::ordered_json text_json(const std::vector<Corpus>& corpora) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const Corpus& corpus : corpora) {
    files.push_back(file_json(corpus.file));
    files.back()["tokens"] = corpus.tokens.size();
  }
  return files;
}

nlohmann::ordered_json file_text_json(const TextOptions& text, std::int32_t held_out) {
  nlohmann::ordered_json json{{"sequence_length", text.sequence_length},
                              {"max_sequences", text.max_sequences},
                              {"held_out", held_out}};
  for (const std::string& file : text.files) json["files"].push_back(file_json(file));
  for (const std::string& file : text.held_out_files)
    json["held_out_files"].push_back(file_json(file));
  return json;
}

}  // namespace speclab::engines
