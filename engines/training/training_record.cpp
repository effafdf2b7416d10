#include "engines/training/training_record.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "engines/formats/json_file.h"

namespace speclab::engines {
namespace {

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
