#include "engines/formats/recorded_digest.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

}  // namespace

void check_recorded_digest(const std::string& folder, const std::string& file,
                           const std::string& found) {
  const std::string path = folder + "/manifest.json";
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) return;
  const nlohmann::json manifest = read_json_file(path, {.max_bytes = kMaxBytes});
  if (!manifest.is_object() || !manifest.contains("kind") || !manifest.contains("sha256")) return;
  const std::string recorded = JsonNode(manifest, path).at("sha256").as_string();
  if (recorded != found)
    throw_model_file_error(
        folder + "/" + file, 0,
        {"sha256", found, escaped(recorded, 64) + ", as manifest.json says",
         "restore the file or train again; if you changed it on purpose, remove manifest.json"});
}

}  // namespace speclab::engines
