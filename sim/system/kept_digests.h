#pragma once
// SHA-256 of large files, kept from one start of a program to the next.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "sim/system/sha256.h"

namespace speclab {

struct KeptDigestOptions {
  std::uint64_t smallest_bytes = std::uint64_t{4} << 20;  ///< smaller files are hashed every time
  /// A file that changed later than this may change again within one tick of its clock, so its
  /// digest is not kept.
  std::int64_t settled_ns = 2'000'000'000;
  std::function<std::string(const std::string&)> hash = sha256_file;
};

/// A digest serves as long as the file's path, device, inode, size and times of change are the
/// same. A kept digest that is damaged or foreign is made anew. A folder that cannot be written
/// costs time and is no error. Bits that a disk flips by itself change none of these: remove the
/// folder to hash all files again.
class KeptDigests {
 public:
  /// @param folder  made when the first digest is kept; several processes may share it
  explicit KeptDigests(std::string folder, KeptDigestOptions options = {})
      : folder_(std::move(folder)), options_(std::move(options)) {}

  /// @throws ModelFileError if the file cannot be read
  std::string of_file(const std::string& path) const;
  /// The digest of one file; for several files, the digest of their digests in this order.
  std::string of_files(std::span<const std::string> paths) const;

 private:
  void keep(const std::string& place, const std::string& content) const;

  std::string folder_;
  KeptDigestOptions options_;
};

/// Those in the user's cache folder.
KeptDigests kept_digests_of_user();

}  // namespace speclab
