#pragma once
// The costs of a machine, kept by name: results/machines/NAME/vN holds costs.csv and the manifest
// of the run that measured it.

#include <string>

namespace speclab::experiments {

/// The folder that --machine means: a folder with a costs.csv or with versions that have one, else
/// the newest version of that name in results/machines, here or in the program's data, or the
/// version itself ("NAME/v2").
/// @throws ConfigError naming what there is
std::string machine_folder(const std::string& machine);

/// @throws ConfigError unless the name is one word that can name a folder
void check_machine_name(const std::string& machine);

/// Makes the folder of a machine, before anything is measured for it.
/// @throws ConfigError as check_machine_name, WriteError
void make_machine_folder(const std::string& machine);

/// Keeps the costs of a run as the next version of the machine, whole or not at all. If the newest
/// version has the same costs, nothing is written.
/// @param run_folder  holds costs.csv and manifest.toml
/// @return the folder of the version that has them @throws ConfigError as make_machine_folder,
/// DataError if a file cannot be read, WriteError
std::string keep_machine_costs(const std::string& run_folder, const std::string& machine);

}  // namespace speclab::experiments
