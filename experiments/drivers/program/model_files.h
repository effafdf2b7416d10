#pragma once
#include <filesystem>
#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// The file or folder of a model; empty for a shape model, which has none.
/// @param model  catalogue name, file or folder
std::filesystem::path path_of_model(const engines::Engines& engines, const std::string& model);

/// Keeps a command from writing over the model that it reads. Tables of logits in a model's folder
/// may be replaced.
/// @param option  that names the file, for the message
/// @param model   catalogue name, file or folder
/// @throws ConfigError if the file is the model's file, another part of it, or in its folder
void refuse_file_of_model(const engines::Engines& engines, const std::string& option,
                          const std::string& file, const std::string& model);

}  // namespace speclab::experiments
