#pragma once
// Stands between this process and the system's calls that change files, whoever makes them: a crash
// or an error can be put at every one.

#include <cstddef>
#include <functional>
#include <string>

namespace speclab::testing {

enum class FileCall { open, write, pwrite, fsync, close, rename, truncate, unlink, make_folder };

struct FileOperation {
  FileCall call;
  std::string path;            ///< the file that changes; of a rename the old name
  std::string new_path{};      ///< of a rename
  const char* data = nullptr;  ///< of a write or pwrite
  std::size_t size = 0;        ///< of a write or pwrite, bytes
  int descriptor = -1;         ///< of a write, a pwrite, a sync or a close
};

/// What becomes of a call.
struct FileVerdict {
  int error =
      0;  ///< errno it fails with, nothing done (a failed close closes all the same); 0: it is made
  std::size_t size = static_cast<std::size_t>(-1);  ///< a write stops after so many bytes
};

/// While it lives, `before` sees every such call of this thread on a path beneath `folder`, before
/// it is made. Calls that `before` makes itself are not seen. One at a time.
class FileFaults {
 public:
  using Hook = std::function<FileVerdict(const FileOperation&)>;
  FileFaults(std::string folder, Hook before);
  ~FileFaults();
  FileFaults(const FileFaults&) = delete;
  FileFaults& operator=(const FileFaults&) = delete;
};

}  // namespace speclab::testing
