#include "analysis/io/training_origin.h"

#include <fmt/format.h>

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
constexpr std::array kRequired{"revision", "build_type", "flags", "compiler", "libtorch", "blas", "machine", "governor", "device", "driver", "threads", "config_sha256", "seed"};

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw DataError(fmt::format("{}: {}; a curve of unknown origin is not drawn, train again (where an older revision did not note it, write \"{}\")", escaped(path, 200), what, kNotRecorded));
}

Json parsed(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) refuse(path, "is not there");
  if (std::filesystem::file_size(path, none) > kMostBytes) throw DataError(fmt::format("{}: larger than {} bytes; allowed: the manifest.json of a training", escaped(path, 200), kMostBytes));
  try {
    return Json::parse(read_file(path));
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("{}: no JSON from byte {} on; allowed: the manifest.json of a training", escaped(path, 200), error.byte));
  }
}

}  // namespace

TrainingOrigin read_training_origin(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  const Json manifest = parsed(path);
  const Json provenance = manifest.is_object() ? manifest.value("provenance", Json()) : Json();
  const auto text = [&](const char* key) -> std::string {
    const auto found = provenance.find(key);
    if (found == provenance.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) refuse(path, fmt::format("provenance.{} is missing or no text", key));
    return escaped(found->get<std::string>(), 100);
  };
  for (const char* key : kRequired) text(key);
  return {.revision = text("revision"), .machine = text("machine")};
}

}  // namespace speclab::analysis
