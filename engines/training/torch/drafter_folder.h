#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engines/training/torch/torch_layers.h"

namespace speclab::engines {

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

}  // namespace speclab::engines
