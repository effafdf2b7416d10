#include "engines/ngrams/ngram_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "engines/formats/checked_size.h"
#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/input_file.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

// File: magic, little-endian uint32 fields of the header, then the arrays of NgramArrays in their
// order.
constexpr std::string_view kMagic = "speclabN";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxVocab = 2'000'000, kMaxNgrams = 1u << 28;
constexpr const char* kAllowed = "an n-gram model written by speclab train, or its folder";

std::string content_of(const std::string& path) try {
  return read_file(path);
} catch (const DataError& error) {
  throw_model_file_error(
      path, 0,
      {"file", escaped(error.what(), 100), kAllowed, "check the path and its permissions"});
}

/// Takes fields off the beginning of a file.
class Reader {
 public:
  Reader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::string_view take(CheckedSize size, const char* field) {
    const auto count = size.within(bytes_.size() - offset_);
    if (!count)
      fail(offset_, field, fmt::format("{} bytes left", bytes_.size() - offset_),
           "as many as the header says");
    const std::string_view taken = bytes_.substr(offset_, *count);
    offset_ += *count;
    return taken;
  }
  std::uint32_t take_number(const char* field, std::uint32_t low, std::uint32_t high) {
    std::uint32_t value;
    std::memcpy(&value, take(sizeof value, field).data(), sizeof value);
    if (value < low || value > high)
      fail(offset_ - sizeof value, field, fmt::format("{}", value),
           fmt::format("{} to {}", low, high));
    return value;
  }
  template <typename T>
  std::vector<T> take_array(std::size_t size, const char* field) {
    const std::string_view bytes = take(CheckedSize(size) * sizeof(T), field);
    std::vector<T> values(size);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  [[noreturn]] void fail(std::size_t offset, const char* field, std::string found,
                         std::string allowed) const {
    throw_model_file_error(
        path_, offset, {field, std::move(found), std::move(allowed), "train the drafter again"});
  }

 private:
  const std::string& path_;
  std::string_view bytes_;
  std::size_t offset_ = 0;
};

/// Numbers of entries, which stand in the header.
struct Sizes {
  std::uint32_t contexts, inner, ngrams;
};

Sizes read_header(Reader& reader, NgramArrays& arrays) {
  if (reader.take(kMagic.size(), "magic") != kMagic)
    reader.fail(0, "magic", "a file without an n-gram model", kAllowed);
  reader.take_number("version", kVersion, kVersion);
  arrays.vocab_size = static_cast<std::int32_t>(reader.take_number("vocab_size", 1, kMaxVocab));
  arrays.order = static_cast<std::int32_t>(reader.take_number("order", 1, NgramModel::kMaxOrder));
  arrays.max_successors = static_cast<std::int32_t>(
      reader.take_number("max_successors", 1, NgramModel::kMaxSuccessors));
  arrays.num_unigrams =
      reader.take_number("num_unigrams", 1, static_cast<std::uint32_t>(arrays.vocab_size));
  const std::uint32_t contexts = reader.take_number("num_contexts", 1, Packed24::kLimit - 1);
  const std::uint32_t inner = reader.take_number("num_inner", 0, arrays.order == 1 ? 0 : contexts);
  return {contexts, inner, reader.take_number("num_ngrams", arrays.num_unigrams, kMaxNgrams)};
}

/// Offsets of the arrays, for messages about what they hold.
NgramOffsets read_arrays(Reader& reader, const Sizes& sizes, NgramArrays& arrays) {
  NgramOffsets at{};
  at.context_tokens = reader.offset();
  arrays.context_tokens = Packed24(reader.take(CheckedSize(sizes.contexts) * 3, "context_tokens"));
  arrays.back_off = reader.take_array<std::uint16_t>(sizes.contexts, "back_off");
  at.num_successors = reader.offset();
  arrays.num_successors = reader.take_array<std::uint8_t>(sizes.contexts, "num_successors");
  at.first_child = reader.offset();
  arrays.first_child = Packed24(reader.take((CheckedSize(sizes.inner) + 1) * 3, "first_child"));
  at.successor_tokens = reader.offset();
  arrays.successor_tokens =
      Packed24(reader.take(CheckedSize(sizes.ngrams) * 3, "successor_tokens"));
  at.probabilities = reader.offset();
  arrays.probabilities = reader.take_array<std::uint16_t>(sizes.ngrams, "probabilities");
  return at;
}

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string header_of(const NgramArrays& arrays) {
  std::string bytes(kMagic);
  for (const std::size_t field :
       {std::size_t{kVersion}, static_cast<std::size_t>(arrays.vocab_size),
        static_cast<std::size_t>(arrays.order), static_cast<std::size_t>(arrays.max_successors),
        std::size_t{arrays.num_unigrams}, arrays.num_contexts(), arrays.num_inner(),
        arrays.num_ngrams()}) {
    const auto value = static_cast<std::uint32_t>(field);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

}  // namespace

std::string ngram_file(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) ? newest_version(path) + "/ngram.bin" : path;
}

NgramModel load_ngrams(const std::string& file_or_folder) {
  if (std::error_code none; !std::filesystem::exists(file_or_folder, none))
    throw ConfigError(fmt::format("drafter model '{}': no such file or folder; allowed: {}",
                                  escaped(file_or_folder, 200), kAllowed));
  const std::string path = ngram_file(file_or_folder);
  const std::string bytes = content_of(path);
  if (const std::filesystem::path file = std::filesystem::absolute(path);
      file.filename() == "ngram.bin")
    check_recorded_digest(file.parent_path().string(), "ngram.bin", sha256_text(bytes));
  return parse_ngrams(bytes, path);
}

NgramModel parse_ngrams(std::string_view bytes, const std::string& path) {
  Reader reader(path, bytes);
  NgramArrays arrays;
  const Sizes sizes = read_header(reader, arrays);
  const NgramOffsets at = read_arrays(reader, sizes, arrays);
  if (reader.offset() != bytes.size())
    reader.fail(reader.offset(), "file size", fmt::format("{}", bytes.size()),
                fmt::format("{} bytes", reader.offset()));
  check_arrays(path, at, arrays);
  return NgramModel(std::move(arrays));
}

void save_ngrams(const NgramModel& model, const std::string& path) {
  const NgramArrays& arrays = model.arrays();
  std::string bytes = header_of(arrays);
  for (const std::string_view part :
       {arrays.context_tokens.stored(), bytes_of(arrays.back_off), bytes_of(arrays.num_successors),
        arrays.first_child.stored(), arrays.successor_tokens.stored(),
        bytes_of(arrays.probabilities)})
    bytes += part;
  write_file(path, bytes);
}

}  // namespace speclab::engines
