#pragma once
#include <cstdint>
#include <fstream>
#include <string>

namespace speclab {

/// Limit for files that are read whole: texts, configs, tables.
inline constexpr std::uintmax_t kLargestFileRead = std::uintmax_t{1} << 30;

/// Opens a regular file for reading. A pipe is refused, because reading it could wait without end.
/// @throws DataError with the file and the system's reason, or because it is no regular file
std::ifstream open_input(const std::string& path);

/// The bytes of a file.
/// @throws DataError like open_input, and with its size if it is above kLargestFileRead
std::string read_file(const std::string& path);

/// Writes beside the file, syncs, renames and syncs the folder. A reader sees the old file or the
/// whole new one. A failure leaves nothing beside it.
/// @throws WriteError naming the file and the system's reason
void write_file(const std::string& path, const std::string& content);

/// Copies a file of any size in the manner of write_file; the file may be its own target.
/// @throws DataError like open_input, WriteError
void copy_file(const std::string& from, const std::string& to);

/// Appends to an existing file and syncs. @throws WriteError naming the file and the system's
/// reason
void append_file(const std::string& path, const std::string& content);

/// Folder for everything that scripts/setup fetches: $SPECLAB_CACHE, else speclab under
/// $XDG_CACHE_HOME or ~/.cache.
std::string user_cache_folder();

/// Makes a folder and its parents; an existing one is fine. @throws WriteError
void make_folder(const std::string& path);

}  // namespace speclab
