#pragma once
// Files that are written piece by piece, and on the disk when their writer says so.

#include <cstdint>
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

}  // namespace speclab
