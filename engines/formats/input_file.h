#pragma once
// A model file opened for reading. Reads go into buffers, never through a mapping, so a file cut
// short meanwhile is an error and no SIGBUS.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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
  std::uint64_t size() const { return size_; }  ///< bytes, when it was opened

  /// Fills `into` from byte `offset` on.
  /// @throws ModelFileError if the file ends earlier or cannot be read
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  [[noreturn]] void fail(std::uint64_t offset, const FileProblem& problem) const {
    throw_model_file_error(path_, offset, problem);
  }

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace speclab::engines
