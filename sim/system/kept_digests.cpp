#include "sim/system/kept_digests.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab {
namespace {

constexpr std::size_t kDigestLength = 64;

/// Tells a file from another, and from itself after a change.
struct Identity {
  std::string path;  ///< without links
  std::string head;  ///< of the kept digest: the path and all that changes with the contents
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< the later of both times of change
};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Nothing if the path leads to no regular file.
std::optional<Identity> identity_of(const std::string& path) {
  std::error_code error;
  Identity identity{.path = std::filesystem::canonical(path, error), .head = "speclab digest 1"};
  struct stat status = {};
  if (error || ::stat(identity.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  identity.bytes = static_cast<std::uint64_t>(status.st_size);
  const std::int64_t contents = nanoseconds(status.st_mtim), any = nanoseconds(status.st_ctim);
  identity.changed_ns = std::max(contents, any);
  for (const std::string& part :
       {identity.path, std::to_string(status.st_dev), std::to_string(status.st_ino),
        std::to_string(identity.bytes), std::to_string(contents), std::to_string(any)})
    identity.head += "\n" + part;
  identity.head += "\n";
  return identity;
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// The content with its own digest behind it, which no damaged content has.
std::string sealed(const std::string& content) { return content + sha256_text(content) + "\n"; }

/// Nothing if there is none, or it is damaged or of another file.
std::optional<std::string> kept_digest(const std::string& place, const std::string& head) {
  std::error_code error;
  if (std::filesystem::file_size(place, error) != head.size() + 2 * (kDigestLength + 1) || error)
    return std::nullopt;
  try {
    const std::string content = read_file(place);
    const std::string line = content.substr(0, head.size() + kDigestLength + 1);
    if (!line.starts_with(head) || content != sealed(line)) return std::nullopt;
    return line.substr(head.size(), kDigestLength);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string KeptDigests::of_file(const std::string& path) const {
  const std::optional<Identity> before = identity_of(path);
  if (!before || before->bytes < options_.smallest_bytes) return options_.hash(path);
  const std::string place = folder_ + "/" + sha256_text(before->path);
  if (const auto digest = kept_digest(place, before->head)) return *digest;
  const bool is_settled = now_ns() - before->changed_ns >= options_.settled_ns;
  const std::string digest = options_.hash(path);
  const std::optional<Identity> after = identity_of(path);
  if (is_settled && after && after->head == before->head)
    keep(place, sealed(before->head + digest + "\n"));
  return digest;
}

std::string KeptDigests::of_files(std::span<const std::string> paths) const {
  if (paths.size() == 1) return of_file(paths.front());
  std::string digests;
  for (const std::string& path : paths) digests += of_file(path);
  return sha256_text(digests);
}

/// Another process that keeps a digest at the same time goes first.
void KeptDigests::keep(const std::string& place, const std::string& content) const try {
  make_folder(folder_);
  const PathLock alone(folder_);
  write_file(place, content);
} catch (const Error&) {
  return;
}

KeptDigests kept_digests_of_user() { return KeptDigests(user_cache_folder() + "/digests"); }

}  // namespace speclab
