#pragma once
// Where the program finds the files that it brings along.

#include <string>

namespace speclab {

/// Folder with the prompts, configs, drafters and tables that the program brings along:
/// $SPECLAB_DATA, else share/speclab beside the folder of an installed program, else the source
/// tree of the build. Each has the layout of the source tree.
///
/// @throws ConfigError if $SPECLAB_DATA names a folder of another layout
std::string data_folder();

/// A file that scripts/setup fetches: the installed copy if there is one, else the one in the
/// user's cache, which need not exist.
/// @param path  below the cache folder, such as models/NAME.gguf
std::string fetched_file(const std::string& path);

}  // namespace speclab
