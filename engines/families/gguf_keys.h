#pragma once
// The metadata of one architecture in a GGUF file, "llama." and the like, and which of its keys
// nobody has read.

#include <set>
#include <string>
#include <vector>

#include "engines/formats/gguf_file.h"

namespace speclab::engines {

/// All keys are given without the architecture.
class GgufKeys {
 public:
  GgufKeys(const GgufFile& file, std::string architecture)
      : file_(file), prefix_(std::move(architecture) + ".") {}

  const GgufFile& file() const { return file_; }
  bool has(const std::string& key) const;
  std::int32_t integer(const std::string& key, std::int64_t least, std::int64_t most) const;
  std::int32_t integer_or(const std::string& key, std::int64_t least, std::int64_t most,
                          std::int32_t otherwise) const;
  /// The number of a key that has one, or a list with the same number for every layer.
  std::int32_t layer_integer(const std::string& key, std::int64_t least, std::int64_t most) const;
  std::int32_t layer_integer_or(const std::string& key, std::int64_t least, std::int64_t most,
                                std::int32_t otherwise) const;
  /// One number, or one for each layer; none where the key is missing.
  std::vector<std::int64_t> integers(const std::string& key) const;
  float number(const std::string& key) const;
  float number_or(const std::string& key, float otherwise) const;
  bool flag_or(const std::string& key, bool otherwise) const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;

  [[noreturn]] void fail(const std::string& key, std::string found, std::string allowed) const;
  /// Takes a key for read whatever its value, because another part of the file says the same.
  void pass_over(const std::string& key) const { read_.insert(key); }
  /// @throws ModelFileError if a key of the architecture was not read and may change what the model
  /// computes
  void refuse_unread() const;

 private:
  std::int32_t within(const std::string& key, std::int64_t value, std::int64_t least,
                      std::int64_t most) const;

  const GgufFile& file_;
  std::string prefix_;
  mutable std::set<std::string> read_;  ///< a reader's questions are the list of what it heeds
};

}  // namespace speclab::engines
