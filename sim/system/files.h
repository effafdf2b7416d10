#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace speclab {

/// A descriptor to write to, which closes itself. Nothing that failed is tried again on it: what a
/// failed sync lost is known to nobody.
class OutputFile {
 public:
  /// @param flags  of open(2) @throws WriteError naming the file and the system's reason
  OutputFile(const std::string& path, int flags);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view content);
  /// On the disk when this returns. File systems that cannot sync a folder say EINVAL.
  void finish();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Who chose the name of a file.
enum class NameFrom : std::uint8_t {
  program,  ///< a file left by a process that died stands in nobody's way
  user      ///< a link is refused, and nothing but the file of that name is replaced
};

/// A file that is whole under its name, or not there: it is written as NAME.part until then. A
/// reader sees the old file or the new one.
class WholeFile {
 public:
  /// @throws WriteError if the name belongs to a device, a pipe or a folder, or the file beside it
  /// cannot be made
  explicit WholeFile(std::string path, NameFrom from = NameFrom::program);
  /// Leaves nothing of an unfinished file.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view content) { file_.write(content); }
  /// Syncs the file, gives it its name and syncs the folder. @throws WriteError
  void finish();

 private:
  std::string path_, scratch_;
  OutputFile file_;
  bool is_finished_ = false;
};

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

/// The path with "~" or "~USER" at its beginning replaced by that user's home folder, as a shell
/// does it. A path without them stays, and so does one of a user who is not known.
std::string expanded_home(const std::string& path);

/// While it lives, no other process locks the same file or folder.
class PathLock {
 public:
  PathLock() = default;
  /// @param path  is there already @throws LockedError if another process holds it, WriteError if
  /// it cannot be opened
  explicit PathLock(const std::string& path);
  ~PathLock();
  PathLock(PathLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  PathLock& operator=(PathLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace speclab
