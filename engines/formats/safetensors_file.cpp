#include "engines/formats/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "engines/formats/checked_size.h"
#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kMaxNameBytes = 4096;
constexpr std::size_t kMaxShapeRank = 8;
constexpr int kMaxDepth = 8;
constexpr const char* kMetadataKey = "__metadata__";

struct ElementType {
  std::string_view name;
  std::uint64_t bytes;
};
/// @source the safetensors format; types of less than a byte are not read
constexpr ElementType kElementTypes[] = {{"F64", 8},  {"F32", 4},     {"F16", 2},    {"BF16", 2},
                                         {"I64", 8},  {"I32", 4},     {"I16", 2},    {"I8", 1},
                                         {"U64", 8},  {"U32", 4},     {"U16", 2},    {"U8", 1},
                                         {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

/// One entry of the header with its data range, which is relative to the end of the header.
struct Entry {
  TensorInfo info;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t read_header_length(const InputFile& file) {
  std::array<std::byte, kLengthBytes> bytes;
  if (file.size() < kLengthBytes)
    file.fail(0, {"header length", fmt::format("a file of {} bytes", file.size()),
                  "at least 8 bytes", FileProblem::kDamaged});
  file.read(0, bytes);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const std::uint64_t allowed = std::min(kMaxHeaderBytes, file.size() - kLengthBytes);
  if (length < 2 || length > allowed) {
    refuse_other_file(file, "a safetensors file");
    file.fail(0, {"header length", fmt::format("{}", length), fmt::format("2 to {}", allowed),
                  "give a safetensors file, and fetch it again if it was one"});
  }
  return length;
}

std::string read_header_text(const InputFile& file, std::uint64_t length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  if (text[0] != '{')
    file.fail(kLengthBytes, {"header", "'" + escaped(text.substr(0, 8)) + "'",
                             "JSON that begins with {", FileProblem::kDamaged});
  return text;
}

std::uint64_t element_bytes(const JsonNode& dtype) {
  for (const ElementType& type : kElementTypes) {
    if (type.name == dtype.as_string()) return type.bytes;
  }
  dtype.refuse(dtype.shown(), "F32 F16 BF16 F64, integers, BOOL, F8_E4M3, F8_E5M2",
               FileProblem::kOtherModel);
}

void read_shape(const JsonNode& shape, TensorInfo& info) {
  const auto sizes = shape.elements();
  if (sizes.size() > kMaxShapeRank)
    shape.refuse(fmt::format("rank {}", sizes.size()), fmt::format("at most {}", kMaxShapeRank),
                 FileProblem::kOtherModel);
  CheckedSize elements = 1;
  for (const JsonNode& size : sizes) {
    info.shape.push_back(size.as_integer(0, INT64_MAX));
    elements = elements * static_cast<std::uint64_t>(info.shape.back());
  }
  const auto product = elements.within(INT64_MAX);
  if (!product) shape.fail("a product of 2^63 or more", "fewer elements");
  info.num_elements = static_cast<std::int64_t>(*product);
}

Entry read_entry(const std::string& name, const JsonNode& node) {
  Entry entry;
  entry.info.name = name;
  const JsonNode dtype = node.at("dtype");
  const std::uint64_t bytes_each = element_bytes(dtype);
  entry.info.dtype = dtype.as_string();
  read_shape(node.at("shape"), entry.info);
  const JsonNode range = node.at("data_offsets");
  const auto offsets = range.elements();
  if (offsets.size() != 2) range.fail(fmt::format("{} numbers", offsets.size()), "2");
  entry.begin = static_cast<std::uint64_t>(offsets[0].as_integer(0, INT64_MAX));
  entry.end = static_cast<std::uint64_t>(offsets[1].as_integer(0, INT64_MAX));
  const CheckedSize bytes =
      CheckedSize(static_cast<std::uint64_t>(entry.info.num_elements)) * bytes_each;
  if ((CheckedSize(entry.begin) + bytes).within(INT64_MAX) != entry.end) {
    range.fail(fmt::format("[{}, {}]", entry.begin, entry.end), "the size of dtype and shape");
  }
  return entry;
}

/// Free text of any length: only the header's size limits it, as in the format.
void read_metadata(const JsonNode& node, SafetensorsHeader& header) {
  for (const std::string& key : node.keys()) header.metadata[key] = node.at(key).as_string();
}

/// The tensors in the order of their data.
std::vector<Entry> read_entries(const InputFile& file, const std::string& text,
                                std::size_t max_tensors, SafetensorsHeader& header) {
  std::vector<Entry> entries;
  const auto read = [&](const std::string& name, const nlohmann::json& value) {
    const JsonNode node(value, file.path(), kLengthBytes, name);
    if (name.size() > kMaxNameBytes)
      node.refuse(fmt::format("a name of {} bytes", name.size()),
                  fmt::format("at most {}", kMaxNameBytes), FileProblem::kOtherModel);
    if (name == kMetadataKey) return read_metadata(node, header);
    if (entries.size() == max_tensors)
      file.fail(kLengthBytes, {"header", fmt::format("more than {} tensors", max_tensors),
                               fmt::format("at most {}", max_tensors)});
    entries.push_back(read_entry(name, node));
  };
  parse_json(text, file.path(), kLengthBytes,
             {.max_bytes = kMaxHeaderBytes, .max_depth = kMaxDepth}, {{"", read}});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return entries;
}

const BlockFormat* format_of(const std::string& dtype) {
  const BlockFormat* format = find_block_format(dtype);
  return format && format->block_elements == 1 ? format : nullptr;
}

/// An entry must begin where the one before it ended.
void place(Entry entry, std::uint64_t expected, std::uint64_t data_begin, const InputFile& file,
           SafetensorsHeader& header) {
  const std::string field = escaped(entry.info.name, 64) + ".data_offsets";
  if (entry.begin != expected)
    file.fail(kLengthBytes,
              {field, fmt::format("begin {}", entry.begin),
               fmt::format("{}: no hole, no overlap", expected), FileProblem::kDamaged});
  const std::optional<std::uint64_t> begin =
      (CheckedSize(data_begin) + entry.begin).within(file.size());
  if (!begin)
    file.fail(kLengthBytes, {field, fmt::format("begin {}", entry.begin), "a place inside the file",
                             "fetch it again: it may be cut short"});
  header.extents.push_back({format_of(entry.info.dtype), *begin, entry.end - entry.begin});
  header.table.insert(std::move(entry.info));
}

}  // namespace

SafetensorsHeader read_safetensors_header(const InputFile& file, std::size_t max_tensors) {
  const std::uint64_t length = read_header_length(file);
  const std::uint64_t data_begin = *(CheckedSize(kLengthBytes) + length).within(file.size());
  SafetensorsHeader header;
  std::uint64_t expected = 0;
  for (Entry& entry : read_entries(file, read_header_text(file, length), max_tensors, header)) {
    const std::uint64_t end = entry.end;
    place(std::move(entry), expected, data_begin, file, header);
    expected = end;
  }
  if (expected != file.size() - data_begin) {
    file.fail(data_begin, {"data", fmt::format("{} bytes", file.size() - data_begin),
                           fmt::format("{}, as the header says", expected),
                           "fetch it again: it may be cut short"});
  }
  return header;
}

SafetensorsFile SafetensorsFile::open(std::string path) {
  InputFile file(std::move(path));
  SafetensorsHeader header = read_safetensors_header(file);
  return {std::move(file), std::move(header)};
}

const TensorInfo& SafetensorsFile::tensor(const std::string& name) const {
  return tensors()[header_.table.index_of(name, path())];
}

std::vector<float> SafetensorsFile::read_float32(const std::string& name) const {
  const std::size_t index = header_.table.index_of(name, path());
  const TensorExtent& extent = header_.extents[index];
  if (!extent.format) {
    file_.fail(extent.offset,
               {"tensor '" + escaped(name, 64) + "'", "type " + tensors()[index].dtype,
                "F32 F16 BF16", "convert the model to one of these"});
  }
  return read_values(file_, extent);
}

}  // namespace speclab::engines
