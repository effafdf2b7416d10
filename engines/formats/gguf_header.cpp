#include "engines/formats/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engines/formats/checked_size.h"
#include "engines/formats/input_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kMaxTensors = 1'000'000;
constexpr std::uint64_t kMaxKeys = 1'000'000;
constexpr std::uint64_t kMaxKeyBytes = (1 << 16) - 1;
constexpr std::uint64_t kMaxTensorNameBytes = 63;
constexpr std::uint32_t kMaxRank = 4;
constexpr std::uint32_t kMaxAlignment = 1 << 16;
constexpr std::uint32_t kDefaultAlignment = 32;
constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kVersion = 3;
constexpr std::uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;  // name of one byte, rank 1
constexpr std::uint64_t kMinEntryBytes = 8 + 1 + 4 + 1;

struct Counts {
  std::uint64_t tensors = 0;
  std::uint64_t keys = 0;
};

std::uint64_t read_count(ByteCursor& cursor, const char* field, std::uint64_t limit,
                         std::uint64_t min_item_bytes) {
  const auto count = cursor.read<std::uint64_t>(field);
  const std::uint64_t allowed = std::min(limit, cursor.bytes_left() / min_item_bytes);
  if (count > allowed)
    cursor.fail(sizeof(count), field, fmt::format("{}", count), fmt::format("0 to {}", allowed));
  return count;
}

void read_version(const InputFile& file, ByteCursor& cursor) {
  if (const auto magic = cursor.read<std::uint32_t>("magic"); magic != kMagic) {
    refuse_other_file(file, "a GGUF file");
    cursor.fail(4, "magic", fmt::format("{:#010x}", magic),
                fmt::format("{:#010x} (\"GGUF\")", kMagic),
                "give a GGUF file, and fetch it again if it was one");
  }
  const auto version = cursor.read<std::uint32_t>("version");
  if (version == kVersion) return;
  const bool big_endian = (version & 0xFFFFU) == 0;
  cursor.fail(4, "version",
              big_endian ? fmt::format("{:#010x} (a big-endian file)", version)
                         : fmt::format("{}", version),
              "3, little-endian", "convert the model to GGUF version 3");
}

Counts read_counts(ByteCursor& cursor) {
  Counts counts;
  counts.tensors = read_count(cursor, "tensor_count", kMaxTensors, kMinTensorBytes);
  counts.keys = read_count(cursor, "metadata_count", kMaxKeys, kMinEntryBytes);
  return counts;
}

void read_metadata(ByteCursor& cursor, std::uint64_t count, GgufMetadata& metadata) {
  for (std::uint64_t i = 0; i < count; ++i) {
    cursor.set_place("metadata", i);
    GgufEntry entry;
    entry.key = cursor.read_string("key", 1, kMaxKeyBytes);
    const std::string shown = escaped(entry.key, 64);
    const std::uint64_t key_bytes = entry.key.size();
    if (metadata.contains(entry.key))
      cursor.fail(key_bytes, "key", "'" + shown + "' again", "each key once");
    entry.offset = cursor.offset();
    entry.value = read_gguf_value(cursor);
    metadata.insert(std::move(entry));
  }
}

std::uint32_t alignment_of(const GgufMetadata& metadata) {
  const auto alignment =
      metadata.find<std::uint32_t>("general.alignment").value_or(kDefaultAlignment);
  if (alignment == 0 || alignment > kMaxAlignment || (alignment & (alignment - 1)) != 0) {
    metadata.fail("general.alignment", fmt::format("{}", alignment),
                  "a power of two from 1 to 65536");
  }
  return alignment;
}

/// Reads the dimensions, innermost first in the file, into the row-major shape.
void read_shape(ByteCursor& cursor, TensorInfo& info) {
  const auto rank = cursor.read<std::uint32_t>("rank");
  if (rank < 1 || rank > kMaxRank)
    cursor.fail(4, "rank", fmt::format("{}", rank), fmt::format("1 to {}", kMaxRank));
  CheckedSize elements = 1;
  for (std::uint32_t i = 0; i < rank; ++i) {
    const auto size = cursor.read<std::uint64_t>("dimensions");
    elements = elements * size;
    if (size == 0 || !elements.at_most(INT64_MAX))
      cursor.fail(8, "dimensions", fmt::format("{}", size), "each >= 1, product below 2^63");
    info.shape.insert(info.shape.begin(), static_cast<std::int64_t>(size));
  }
  info.num_elements = static_cast<std::int64_t>(*elements.within(INT64_MAX));
}

const BlockFormat* read_format(ByteCursor& cursor, TensorInfo& info) {
  const auto type = cursor.read<std::uint32_t>("type");
  const BlockFormat* format = find_block_format(type);
  if (!format)
    cursor.fail(4, "type", fmt::format("{}", type), known_block_formats(),
                "convert the model to one of these");
  if (info.shape.back() % format->block_elements != 0) {
    cursor.fail(4, "type", fmt::format("{} with rows of {}", format->name, info.shape.back()),
                fmt::format("rows of a multiple of {}", format->block_elements));
  }
  info.dtype = format->name;
  return format;
}

/// The extent's offset is still relative to the data section.
TensorExtent read_tensor(ByteCursor& cursor, TensorTable& table, std::uint32_t alignment) {
  TensorInfo info;
  info.name = cursor.read_string("name", 1, kMaxTensorNameBytes);
  if (table.contains(info.name))
    cursor.fail(info.name.size(), "name", "'" + escaped(info.name, 63) + "' again",
                "each name once");
  read_shape(cursor, info);
  TensorExtent extent{.format = read_format(cursor, info)};
  const CheckedSize bytes =
      CheckedSize(static_cast<std::uint64_t>(info.num_elements) / extent.format->block_elements) *
      extent.format->block_bytes;
  extent.offset = cursor.read<std::uint64_t>("offset");
  if (extent.offset % alignment != 0)
    cursor.fail(8, "offset", fmt::format("{}", extent.offset),
                fmt::format("a multiple of {}", alignment));
  if (!bytes.valid()) cursor.fail(8, "size", "more than 2^64 bytes", "sizes that fit the file");
  extent.bytes = *bytes.within(UINT64_MAX);
  table.insert(std::move(info));
  return extent;
}

/// Makes offsets absolute and checks that the data lies inside the file.
void place_extents(const InputFile& file, std::uint64_t data_begin, GgufHeader& header) {
  for (std::size_t i = 0; i < header.extents.size(); ++i) {
    TensorExtent& extent = header.extents[i];
    const CheckedSize begin = CheckedSize(data_begin) + extent.offset;
    if (!(begin + extent.bytes).at_most(file.size())) {
      const std::string& name = header.table.tensors()[i].name;
      file.fail(data_begin, {"tensor '" + escaped(name, 63) + "'",
                             fmt::format("{} bytes at data offset {}", extent.bytes, extent.offset),
                             fmt::format("to end by the file's {} bytes", file.size()),
                             "fetch it again: it may be cut short"});
    }
    extent.offset = *begin.within(file.size());
  }
}

void refuse_overlap(const InputFile& file, const GgufHeader& header) {
  std::vector<std::size_t> order(header.extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return header.extents[a].offset < header.extents[b].offset;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TensorExtent& before = header.extents[order[i - 1]];
    const TensorExtent& after = header.extents[order[i]];
    if (after.offset - before.offset >= before.bytes) continue;
    const std::string& name = header.table.tensors()[order[i]].name;
    file.fail(after.offset,
              {"tensor '" + escaped(name, 63) + "'", "data that overlaps another tensor's",
               "data apart from all others", FileProblem::kDamaged});
  }
}

}  // namespace

GgufHeader read_gguf_header(const InputFile& file, std::uint64_t max_header_bytes) {
  ByteCursor cursor(file, max_header_bytes);
  read_version(file, cursor);
  const Counts counts = read_counts(cursor);
  GgufHeader header{GgufMetadata(file.path()), {}, {}};
  read_metadata(cursor, counts.keys, header.metadata);
  const std::uint32_t alignment = alignment_of(header.metadata);
  header.extents.reserve(counts.tensors);
  for (std::uint64_t i = 0; i < counts.tensors; ++i) {
    cursor.set_place("tensors", i);
    header.extents.push_back(read_tensor(cursor, header.table, alignment));
  }
  place_extents(file, *CheckedSize(cursor.offset()).align_up(alignment).within(UINT64_MAX), header);
  refuse_overlap(file, header);
  return header;
}

}  // namespace speclab::engines
