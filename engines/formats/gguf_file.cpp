#include "engines/formats/gguf_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr const char *kCount = "split.count", *kNumber = "split.no",
                     *kTensors = "split.tensors.count";
constexpr std::size_t kLongestPartName = 90;

GgufPart open_part(std::string path) {
  InputFile file(std::move(path));
  GgufHeader header = read_gguf_header(file);
  return {std::move(file), std::move(header)};
}

/// @source llama.cpp, llama_split_path
std::string ending(std::int64_t number, std::int64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

std::int64_t num_parts(const GgufPart& part) {
  const auto count = part.header.metadata.find<std::int64_t>(kCount).value_or(1);
  if (count < 0 || count > kMaxGgufParts)
    part.header.metadata.fail(kCount, fmt::format("{}", count),
                              fmt::format("0 to {}", kMaxGgufParts));
  return count;
}

/// The name before "-00001-of-00003.gguf". @throws ModelFileError if the name ends otherwise
std::string prefix_of(const GgufPart& first, std::int64_t count) {
  const std::string& path = first.file.path();
  const auto number = first.header.metadata.get<std::int64_t>(kNumber);
  if (number < 0 || number >= count)
    first.header.metadata.fail(kNumber, fmt::format("{}", number),
                               fmt::format("0 to {}", count - 1));
  if (!path.ends_with(ending(number, count)))
    first.file.fail(0, {"name of the file", fmt::format("part {} of {}", number + 1, count),
                        "a name that ends in " + ending(number, count),
                        "give the parts of a split model their own names again, or merge them"});
  const std::string prefix = path.substr(0, path.size() - ending(number, count).size());
  if (number != 0)
    first.file.fail(
        0, {"file", fmt::format("part {} of {}", number + 1, count), "the first part",
            "give " + escaped(std::filesystem::path(prefix).filename().string() + ending(0, count),
                              kLongestPartName)});
  return prefix;
}

void require_there(const GgufPart& first, const std::string& path, std::int64_t number,
                   std::int64_t count) {
  std::error_code none;
  if (std::filesystem::exists(path, none)) return;
  first.file.fail(
      0, {fmt::format("part {} of {}", number + 1, count), "missing", "all parts of a split model",
          "put " + escaped(std::filesystem::path(path).filename().string(), kLongestPartName) +
              " beside it, or merge the parts"});
}

/// A part that was renamed, or belongs to another model.
void require_place(const GgufPart& part, std::int64_t number, std::int64_t count) {
  const GgufMetadata& metadata = part.header.metadata;
  if (metadata.get<std::int64_t>(kNumber) != number)
    metadata.fail(kNumber, fmt::format("{}", metadata.get<std::int64_t>(kNumber)),
                  fmt::format("{}, as the name says", number));
  if (num_parts(part) != count)
    metadata.fail(kCount, fmt::format("{}", num_parts(part)),
                  fmt::format("{}, as the first part says", count));
}

void require_all_tensors(const std::vector<GgufPart>& parts) {
  const GgufMetadata& metadata = parts.front().header.metadata;
  std::uint64_t found = 0;
  for (const GgufPart& part : parts) found += part.header.table.tensors().size();
  const auto wanted = metadata.find<std::uint64_t>(kTensors);
  if (wanted && *wanted != found)
    metadata.fail(kTensors, fmt::format("{}", *wanted),
                  fmt::format("{}, the tensors of all parts", found));
}

}  // namespace

std::vector<GgufPart> open_gguf_parts(const std::string& path) {
  std::vector<GgufPart> parts;
  parts.push_back(open_part(path));
  const std::int64_t count = num_parts(parts.front());
  if (count <= 1) return parts;
  const std::string prefix = prefix_of(parts.front(), count);
  for (std::int64_t number = 1; number < count; ++number) {
    const std::string next = prefix + ending(number, count);
    require_there(parts.front(), next, number, count);
    parts.push_back(open_part(next));
    require_place(parts.back(), number, count);
  }
  require_all_tensors(parts);
  return parts;
}

GgufFile GgufFile::open(const std::string& path) { return GgufFile(open_gguf_parts(path)); }

GgufFile::GgufFile(std::vector<GgufPart> parts) : parts_(std::move(parts)) {
  for (std::size_t part = 0; part < parts_.size(); ++part) add_tensors(part);
}

void GgufFile::add_tensors(std::size_t part) {
  const GgufPart& each = parts_[part];
  const std::vector<TensorInfo>& tensors = each.header.table.tensors();
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (!table_.insert(tensors[tensor]))
      each.file.fail(0, {"tensor '" + escaped(tensors[tensor].name, 63) + "'",
                         "in another part too", "each name once"});
    places_.push_back({part, tensor});
  }
}

const TensorInfo& GgufFile::tensor(const std::string& name) const {
  return tensors()[table_.index_of(name, path())];
}

TensorBytes GgufFile::stored_bytes(const std::string& name) const {
  const Place place = places_[table_.index_of(name, path())];
  const GgufPart& part = parts_[place.part];
  return {&part.file, part.header.extents[place.tensor]};
}

std::vector<float> GgufFile::read_float32(const std::string& name) const {
  const TensorBytes bytes = stored_bytes(name);
  return read_values(*bytes.file, bytes.extent);
}

std::vector<std::byte> GgufFile::read_stored(const std::string& name) const {
  const TensorBytes bytes = stored_bytes(name);
  std::vector<std::byte> stored(bytes.extent.bytes);
  bytes.file->read(bytes.extent.offset, stored);
  return stored;
}

std::vector<std::string> GgufFile::weight_paths() const {
  std::vector<std::string> paths;
  for (const GgufPart& part : parts_) paths.push_back(part.file.path());
  return paths;
}

}  // namespace speclab::engines
