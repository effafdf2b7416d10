#pragma once
// The folder of a drafter: made and locked, written, and read by a training that goes on from it.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engines/interface/training.h"
#include "engines/training/torch/torch_layers.h"
#include "sim/system/files.h"

namespace speclab::engines {

/// The folder of a training, made and locked before the work begins: what cannot be written is
/// better known before the text is made. A training that writes nothing leaves no folder.
class OutputFolder {
 public:
  /// @throws WriteError, LockedError
  explicit OutputFolder(const std::string& path);
  /// Takes away what it made, if nothing stands there.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< the folder itself first, then its parents
  PathLock lock_;
};

struct DrafterNotes {
  std::string curve_csv;            ///< training.csv
  nlohmann::ordered_json manifest;  ///< manifest.json, but for the sha256 of the weights
};

/// Writes model.safetensors (bfloat16), training.csv and manifest.json into an existing folder,
/// then config.json by `write_config`, without which nobody loads the folder; the training's
/// checkpoint goes last. @throws WriteError
void write_drafter(const Parameters& parameters, const DrafterNotes& notes,
                   const std::string& folder,
                   const std::function<void(const std::string& path)>& write_config);

std::string weights_file(const std::string& folder);
/// The values of a written drafter. @throws ModelFileError if a tensor is missing or has another
/// shape
void read_parameters(const std::string& folder, Parameters& parameters);

/// Where a training keeps what it needs to go on.
std::string checkpoint_file(const std::string& folder);

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
