#include "engines/formats/other_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace speclab::engines {
namespace {

using namespace std::literals;

constexpr std::size_t kFirstBytes = 512;

/// A kind of file that begins with certain bytes.
struct Beginning {
  std::string_view bytes;
  std::string_view kind;
  std::string_view change;
};

constexpr std::string_view kConvert = "convert the model to safetensors or GGUF",
                           kUnpack = "unpack it, and give what is in it",
                           kOldGgml = "convert the model to GGUF version 3";

/// @source magic numbers of the formats; git-lfs/docs/spec.md; llama.cpp for the older GGML files
constexpr std::array<Beginning, 15> kBeginnings = {{
    {"version https://git-lfs"sv, "a pointer of git-lfs, not the file",
     "run git lfs pull in its folder, or download the file"},
    {"PK\x03\x04"sv, "a zip archive, as PyTorch saves pickles", kConvert},
    {"\x80\x02"sv, "a pickle", kConvert},
    {"\x80\x03"sv, "a pickle", kConvert},
    {"\x80\x04"sv, "a pickle", kConvert},
    {"\x80\x05"sv, "a pickle", kConvert},
    {"GGUF"sv, "a GGUF file", "give its path as the model"},
    {"lmgg"sv, "an older GGML file", kOldGgml},
    {"fmgg"sv, "an older GGML file", kOldGgml},
    {"tjgg"sv, "an older GGML file", kOldGgml},
    {"algg"sv, "an older GGML adapter", "merge it into its base model and give that"},
    {"\x1f\x8b"sv, "a gzip archive", kUnpack},
    {"BZh"sv, "a bzip2 archive", kUnpack},
    {"\xfd"sv
     "7zXZ",
     "an xz archive", kUnpack},
    {"\x28\xb5\x2f\xfd"sv, "a zstd archive", kUnpack},
}};

/// Web pages come in place of files whose download needs a login.
bool is_web_page(std::string_view bytes) {
  std::string lower(bytes.substr(0, 64));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t first = lower.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  const std::string_view text = std::string_view(lower).substr(first);
  return text.starts_with("<!doctype html") || text.starts_with("<html");
}

bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 9 && bytes.substr(5, 3) == "\0\0\0"sv && bytes.substr(8, 2) == "{\"";
}

}  // namespace

std::optional<OtherFile> other_file(std::string_view first_bytes) {
  for (const Beginning& beginning : kBeginnings)
    if (first_bytes.starts_with(beginning.bytes))
      return OtherFile{std::string(beginning.kind), std::string(beginning.change)};
  if (is_web_page(first_bytes))
    return OtherFile{"a web page", "download the file itself; a page of the server came instead"};
  if (is_safetensors(first_bytes))
    return OtherFile{"a safetensors file", "give its folder, with config.json beside it"};
  return std::nullopt;
}

void refuse_other_file(const InputFile& file, std::string_view wanted) {
  std::string bytes(std::min<std::uint64_t>(kFirstBytes, file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (const auto other = other_file(bytes))
    file.fail(0, {"file", other->kind, std::string(wanted), other->change});
}

}  // namespace speclab::engines
