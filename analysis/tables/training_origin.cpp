#include "analysis/tables/training_curve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/tables/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostManifestBytes = std::uintmax_t{1} << 24;
constexpr int kMostDepth = 64;  ///< each training that went on from another is a level
constexpr std::array<std::string_view, 2> kOfATraining{"config_sha256", "seed"};

[[noreturn]] void refuse(const std::string& path, const std::string& found,
                         const std::string& change) {
  throw DataError(fmt::format("{}: {}; {}", escaped(path, 200), found, change));
}

Json parsed_manifest(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    refuse(path, "is not a file",
           "a curve of unknown origin is not drawn: put the training's manifest.json beside "
           "training.csv, or train again");
  if (const auto bytes = std::filesystem::file_size(path, none); bytes > kMostManifestBytes)
    refuse(path, fmt::format("{} bytes", bytes),
           fmt::format("allowed: at most {}, as a training writes it; put that file back",
                       kMostManifestBytes));
  const std::string text = read_file(path);
  if (json_depth(text) > kMostDepth)
    refuse(path, fmt::format("more than {} levels of JSON", kMostDepth),
           "allowed: the manifest.json of a training, as it was written");
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    refuse(
        path, "no JSON that can be read",
        "allowed: the manifest.json of a training, as it was written; put it back, or train again");
  }
}

/// The text of an entry; empty where it is no text, a blank one or not there.
std::string text_of(const Json& provenance, std::string_view key) {
  const auto found = provenance.find(key);
  if (found == provenance.end() || !found->is_string()) return "";
  const std::string& text = found->get_ref<const std::string&>();
  return text.find_first_not_of(" \t\r\n") == std::string::npos ? "" : escaped(text, 100);
}

/// @param where  in the manifest
TrainingOrigin origin_of(const std::string& path, const std::string& where,
                         const Json& provenance) {
  std::vector<std::string_view> missing;
  const auto look = [&](std::string_view key) {
    if (text_of(provenance, key).empty()) missing.push_back(key);
  };
  std::ranges::for_each(kProgramAndMachine, look);
  std::ranges::for_each(kOfATraining, look);
  if (!missing.empty())
    refuse(
        path, fmt::format("{} has no text for {}", where, fmt::join(missing, ", ")),
        fmt::format("a curve of unknown origin is not drawn: train again or, of a training by an "
                    "older revision, add to \"provenance\" what is known and \"{}\" for the rest",
                    kNotRecorded));
  return {.revision = text_of(provenance, "revision"), .machine = text_of(provenance, "machine")};
}

}  // namespace

std::vector<TrainingOrigin> read_training_origins(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  const Json manifest = parsed_manifest(path);
  static const Json kNone;
  const auto member = [&](const char* key) -> const Json& {
    const auto found = manifest.find(key);
    return found == manifest.end() ? kNone : *found;
  };
  const Json& earlier = member("earlier_provenance");
  if (!earlier.is_null() && !earlier.is_array())
    refuse(path, "earlier_provenance is no list", "allowed: as a training wrote it");
  std::vector<TrainingOrigin> origins;
  for (std::size_t i = 0; i < earlier.size(); ++i)
    origins.push_back(origin_of(path, fmt::format("earlier_provenance[{}]", i), earlier[i]));
  origins.push_back(origin_of(path, "provenance", member("provenance")));
  return origins;
}

}  // namespace speclab::analysis
