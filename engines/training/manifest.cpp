#include "engines/training/manifest.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "engines/formats/json_file.h"
#include "sim/system/sha256.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

nlohmann::ordered_json file_json(const std::string& file) {
  nlohmann::ordered_json json{{"file", std::filesystem::path(file).filename().string()},
                              {"sha256", sha256_file(file)}};
  if (const nlohmann::ordered_json source = source_of(file); !source.is_null())
    json["source"] = source;
  return json;
}

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24;
constexpr double kMostNats = 1e3;

/// Of temperature 1, or the last; nothing where none knows the target's laws.
std::optional<JsonNode> held_out_row(const JsonNode& manifest) {
  std::optional<JsonNode> chosen;
  for (const JsonNode& row : manifest.at("held_out").elements()) {
    if (!row.find("greedy_agreement")) continue;
    chosen.emplace(row);
    if (const auto temperature = row.find("temperature");
        temperature && temperature->as_number() == 1.0)
      break;
  }
  return chosen;
}

double number_up_to(double most, const JsonNode& value) {
  if (const double number = value.as_number(); number >= 0 && number <= most) return number;
  value.fail(value.shown(), fmt::format("a number from 0 to {}", most));
}

/// A row says `acceptance_rate` where the whole law was met, and `acceptance_rate_at_least` where
/// its most likely tokens were.
JsonNode acceptance_of(const JsonNode& row) {
  for (const char* key : {"acceptance_rate", "acceptance_rate_at_least"})
    if (const auto value = row.find(key)) return *value;
  return row.at("next_token_probability");
}

}  // namespace

nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out) {
  return {{"prompts", own_text.prompts.size()},
          {"held_out", held_out},
          {"temperatures", own_text.temperatures},
          {"max_new_tokens", own_text.max_new_tokens},
          {"seed", own_text.seed}};
}

void add_version(const std::string& folder, nlohmann::ordered_json& manifest) {
  if (const std::int64_t version = version_of_path(folder); version > 0)
    manifest["version"] = version;
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

std::optional<TrainingRecord> read_training_record(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  std::error_code none;
  if (folder.empty() || !std::filesystem::is_regular_file(path, none)) return std::nullopt;
  const nlohmann::json json = read_json_file(path, {.max_bytes = kMaxBytes});
  const JsonNode manifest(json, path);
  if (!json.is_object() || !manifest.find("tokens") || !manifest.find("held_out"))
    return std::nullopt;
  const auto row = held_out_row(manifest);
  if (!row) return std::nullopt;
  return TrainingRecord{
      .tokens = manifest.at("tokens").as_integer(1, std::numeric_limits<std::int64_t>::max()),
      .held_out_loss = number_up_to(kMostNats, row->at("loss_nats")),
      .held_out_agreement = number_up_to(1, row->at("greedy_agreement")),
      .held_out_acceptance = number_up_to(1, acceptance_of(*row))};
}

}  // namespace speclab::engines
