#pragma once
// A trained drafter that another one goes on from.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engines/interface/training.h"

namespace speclab::engines {

/// What of its config.json must fit.
struct StartShape {
  std::string target_sha256;
  struct Size {
    const char* key;  ///< of the training config
    std::int64_t wanted, found;
  };
  std::vector<Size> sizes;
};

std::string config_file(const std::string& folder);
/// Whether there is a folder to go on from at all. @param is_of_kind  asked where config.json is
/// there
/// @throws ConfigError if there is none, or it is of another kind
void check_start_folder(const TrainOptions& options, bool (*is_of_kind)(const std::string& folder));
/// @param target_sha256  of the target that is trained for
/// @throws ConfigError if the shape does not fit; ModelFileError if weights or manifest cannot be
/// read
void check_start_shape(const std::string& folder, const StartShape& shape,
                       const std::string& target_sha256);
/// Of its weights and config; "random" where the folder is empty text.
std::string digest_of_start(const std::string& folder);
/// Its manifest.json; the SHA-256 of its weights alone where it has none.
nlohmann::ordered_json manifest_of_start(const std::string& folder);

}  // namespace speclab::engines
