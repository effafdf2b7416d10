#include "engines/formats/blob_link.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace speclab::engines {
namespace {

constexpr std::string_view kBlobs = "../../blobs/";
constexpr std::size_t kGitDigest = 40, kSha256 = 64;  // of small files, of git-lfs

bool is_blob_path(std::string_view text) {
  if (!text.starts_with(kBlobs)) return false;
  const std::string_view digest = text.substr(kBlobs.size());
  return (digest.size() == kGitDigest || digest.size() == kSha256) &&
         digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> blob_behind(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size < kBlobs.size() + kGitDigest || size > kBlobs.size() + kSha256)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size));
  if (!is_blob_path(text)) return std::nullopt;
  return (std::filesystem::path(path).parent_path() / text).string();
}

}  // namespace speclab::engines
