#pragma once
#include <cstdint>
#include <fstream>
#include <string>

namespace speclab {

/// Whatever is read whole: texts, configs, tables.
inline constexpr std::uintmax_t kLargestFileRead = std::uintmax_t{1} << 30;

/// A regular file opened to be read: a pipe would be waited for without end.
/// @throws DataError naming the file and the system's reason, or that it is not a regular file
std::ifstream open_input(const std::string& path);

/// The bytes of a file. @throws DataError as open_input, or with its size if it is above
/// kLargestFileRead
std::string read_file(const std::string& path);

/// Writes beside the file, syncs, renames and syncs the folder, so that a reader sees the old file
/// or the whole new one. Nothing is left beside it where that fails.
/// @throws WriteError naming the file and the system's reason
void write_file(const std::string& path, const std::string& content);

/// Writes a file's bytes as write_file does, of any size; onto the file itself too. @throws
/// DataError as open_input, WriteError
void copy_file(const std::string& from, const std::string& to);

/// Appends to an existing file and syncs. @throws WriteError naming the file and the system's
/// reason
void append_file(const std::string& path, const std::string& content);

/// Folder of what scripts/setup fetches: $SPECLAB_CACHE, else speclab under $XDG_CACHE_HOME or
/// ~/.cache.
std::string user_cache_folder();

/// Makes a folder and its parents; an existing one is fine. @throws WriteError
void make_folder(const std::string& path);

}  // namespace speclab
