#include "analysis/io/training_origin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/io/manifest.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;
constexpr int kMostDepth = 16;
constexpr std::array<std::string_view, 2> kOfATraining{"config_sha256", "seed"};

[[noreturn]] void refuse(const std::string& path, const std::string& found, const std::string& change) {
  throw DataError(fmt::format("{}: {}; {}", escaped(path, 200), found, change));
}

Json parsed(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) refuse(path, "is not a file", "a curve of unknown origin is not drawn: put the training's manifest.json beside training.csv, or train again");
  if (const auto bytes = std::filesystem::file_size(path, none); bytes > kMostBytes)
    refuse(path, fmt::format("{} bytes", bytes), fmt::format("allowed: at most {}, as a training writes it; put that file back", kMostBytes));
  const auto expect_shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostDepth) refuse(path, fmt::format("more than {} levels of JSON", kMostDepth), "allowed: the manifest.json of a training, as it was written");
    return true;
  };
  try {
    return Json::parse(read_file(path), expect_shallow);
  } catch (const Json::exception&) {
    refuse(path, "no JSON that can be read", "allowed: the manifest.json of a training, as it was written; put it back, or train again");
  }
}

/// The text of an entry; empty where it is no text or not there.
std::string text_of(const Json& provenance, std::string_view key) {
  const auto found = provenance.find(key);
  return found != provenance.end() && found->is_string() ? escaped(found->get_ref<const std::string&>(), 100) : "";
}

TrainingOrigin origin_of(const std::string& path, const Json& provenance) {
  std::vector<std::string_view> missing;
  const auto look = [&](std::string_view key) {
    if (text_of(provenance, key).empty()) missing.push_back(key);
  };
  std::ranges::for_each(kProgramAndMachine, look);
  std::ranges::for_each(kOfATraining, look);
  if (!missing.empty())
    refuse(path, fmt::format("provenance has no text for {}", fmt::join(missing, ", ")),
           fmt::format("a curve of unknown origin is not drawn: train again or, of a training by an older revision, add to \"provenance\" what is known and \"{}\" for the rest", kNotRecorded));
  return {.revision = text_of(provenance, "revision"), .machine = text_of(provenance, "machine")};
}

}  // namespace

std::vector<TrainingOrigin> read_training_origins(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  const Json manifest = parsed(path);
  const auto member = [&](const char* key) { return manifest.is_object() ? manifest.value(key, Json()) : Json(); };
  std::vector<TrainingOrigin> origins;
  if (const Json earlier = member("earlier_provenance"); earlier.is_array())
    for (const Json& provenance : earlier) origins.push_back(origin_of(path, provenance));
  origins.push_back(origin_of(path, member("provenance")));
  return origins;
}

}  // namespace speclab::analysis
