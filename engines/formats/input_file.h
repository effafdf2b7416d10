#pragma once
// A model file opened for reading. Reads go into buffers, never through a mapping, so a file cut
// short meanwhile is an error and no SIGBUS.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace speclab::engines {

/// A fault of a file. `found` must already be escaped where it quotes the file. `change` fits the
/// kind of fault. Only a damaged file is fetched again: no copy of a sound file will do.
struct FileProblem {
  std::string field;  ///< path of the field: "tensors[3].rank"
  std::string found;
  std::string allowed;
  std::string change = kOtherModel;

  static constexpr const char* kOtherModel = "change the file, or use another model";
  static constexpr const char* kDamaged = "fetch it again, or use an undamaged copy";
};

/// @param offset  of the fault; 0 stands for the file as a whole and is not printed
/// @throws ModelFileError "path: byte N: field = found; allowed: ...; change", at most 300
/// characters
[[noreturn]] void throw_model_file_error(const std::string& path, std::uint64_t offset,
                                         const FileProblem& problem);

/// Tells a file from another, and from itself after a change.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_s = 0, changed_ns = 0;  ///< last change of the contents, and its fraction

  bool operator==(const FileStamp&) const = default;
};
/// Nothing if the descriptor is not one of a regular file.
std::optional<FileStamp> stamp_of(int descriptor);

inline constexpr std::uint64_t kDirectAlignment = 4096;

/// Owns the descriptor of one regular file.
class InputFile {
 public:
  /// Opens what a link of the hub's cache stands for, also where the link has become a text.
  /// @throws ModelFileError if `path` cannot be opened or is not a regular file
  explicit InputFile(std::string path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return stamp_.size; }  ///< bytes, when it was opened
  const FileStamp& stamp() const { return stamp_; }   ///< of when it was opened

  /// Fills `into` from byte `offset` on.
  /// @throws ModelFileError if the file ends earlier or cannot be read
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  /// Fills as much of `into` as the file has. @return bytes @throws ModelFileError
  std::size_t read_until_end(std::uint64_t offset, std::span<std::byte> into) const;

  /// Opens the file once more, for an owner of its own.
  /// @throws ModelFileError if another file, or a changed one, stands at its path
  InputFile reopened() const { return reopened(0); }
  /// Opens it once more. Its reads go past the page cache, if the file system has such reads.
  /// Offsets, sizes and addresses of its reads are multiples of kDirectAlignment.
  InputFile reopened_direct() const;
  /// @throws ModelFileError if the contents were changed since it was opened
  void require_unchanged() const;
  [[noreturn]] void fail(std::uint64_t offset, const FileProblem& problem) const {
    throw_model_file_error(path_, offset, problem);
  }

 private:
  InputFile(std::string path, int flags);
  InputFile reopened(int flags) const;
  bool reads_directly() const;
  [[noreturn]] void fail_changed() const;

  std::string path_;
  FileStamp stamp_;
  int descriptor_ = -1;
  bool is_direct_ = false;
};

// Files that people give by mistake, told by their first bytes: pointers, web pages, archives.

/// The true kind of a file, and the thing to do instead of reading it.
struct OtherFile {
  std::string kind;
  std::string change;
};

/// Nothing for bytes that no known kind begins with.
std::optional<OtherFile> other_file(std::string_view first_bytes);

/// A reader calls this when it has met bytes of another format.
/// @param wanted  the format that the reader reads
/// @throws ModelFileError naming the kind of the file, if it is known
void refuse_other_file(const InputFile& file, std::string_view wanted);

}  // namespace speclab::engines
