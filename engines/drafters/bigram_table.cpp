#include "engines/drafters/bigram_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::engines {
namespace {

// File: magic, then little-endian uint32: vocab_size, number of successors, row ends [vocab_size], (token, count) pairs.
constexpr char kMagic[8] = {'S', 'L', 'B', 'I', 'G', 'R', 'A', '1'};
constexpr std::size_t kHeaderBytes = sizeof kMagic + 2 * sizeof(std::uint32_t);
constexpr std::uint32_t kMaxVocab = 2'000'000, kMaxSuccessors = 1u << 28;

void append(std::string& bytes, std::uint32_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }

std::uint32_t read_u32(const std::string& bytes, std::size_t offset) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

[[noreturn]] void fail(const std::string& path, std::size_t offset, const char* field, std::uint64_t found, const std::string& allowed) {
  throw ModelFileError(fmt::format("{}: byte {}: {} = {}; allowed: {}; train the drafter again", path, offset, field, found, allowed));
}

std::string content_of(const std::string& path) try {
  return read_file(path);
} catch (const DataError& error) {
  throw ModelFileError(fmt::format("{}; allowed: a bigram table written by speclab train, or its folder", error.what()));
}

}  // namespace

BigramTable BigramTable::count(std::span<const std::vector<Token>> texts, std::int32_t vocab_size, std::size_t max_successors) {
  std::vector<std::map<Token, std::uint32_t>> rows(static_cast<std::size_t>(vocab_size));
  for (const std::vector<Token>& text : texts)
    for (std::size_t i = 1; i < text.size(); ++i) ++rows.at(static_cast<std::size_t>(text[i - 1]))[text[i]];
  BigramTable table;
  table.row_begin_.push_back(0);
  for (const auto& row : rows) {
    std::vector<Successor> sorted;
    for (const auto& [token, count] : row) sorted.push_back({token, count});
    std::stable_sort(sorted.begin(), sorted.end(), [](const Successor& a, const Successor& b) { return a.count > b.count; });
    sorted.resize(std::min(sorted.size(), max_successors));
    table.successors_.insert(table.successors_.end(), sorted.begin(), sorted.end());
    table.row_begin_.push_back(static_cast<std::uint32_t>(table.successors_.size()));
  }
  return table;
}

std::span<const BigramTable::Successor> BigramTable::successors(Token token) const {
  SPECLAB_EXPECT(token >= 0 && token < vocab_size(), "token outside the bigram table");
  const std::uint32_t begin = row_begin_[static_cast<std::size_t>(token)], end = row_begin_[static_cast<std::size_t>(token) + 1];
  return std::span(successors_).subspan(begin, end - begin);
}

void BigramTable::save(const std::string& path) const {
  std::string bytes(kMagic, sizeof kMagic);
  append(bytes, static_cast<std::uint32_t>(vocab_size()));
  append(bytes, static_cast<std::uint32_t>(successors_.size()));
  for (std::size_t row = 1; row < row_begin_.size(); ++row) append(bytes, row_begin_[row]);
  for (const Successor& successor : successors_) {
    append(bytes, static_cast<std::uint32_t>(successor.token));
    append(bytes, successor.count);
  }
  write_file(path, bytes);
}

std::string bigram_file(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) ? path + "/bigram.bin" : path;
}

BigramTable BigramTable::load(const std::string& table_or_folder) {
  const std::string path = bigram_file(table_or_folder);
  if (std::error_code none; !std::filesystem::exists(table_or_folder, none))
    throw ConfigError(fmt::format("drafter model '{}': no such file or folder; allowed: a bigram table written by speclab train, or its folder", escaped(table_or_folder, 200)));
  const std::string bytes = content_of(path);
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw ModelFileError(fmt::format("{}: byte 0: no bigram table; allowed: files written by speclab train", path));
  const std::uint32_t vocab_size = read_u32(bytes, 8), total = read_u32(bytes, 12);
  if (vocab_size == 0 || vocab_size > kMaxVocab) fail(path, 8, "vocab_size", vocab_size, fmt::format("1 to {}", kMaxVocab));
  if (total > kMaxSuccessors) fail(path, 12, "number of successors", total, fmt::format("0 to {}", kMaxSuccessors));
  const std::size_t wanted = kHeaderBytes + 4 * std::size_t{vocab_size} + 8 * std::size_t{total};
  if (bytes.size() != wanted) fail(path, bytes.size(), "file size", bytes.size(), fmt::format("{} bytes", wanted));
  BigramTable table;
  table.row_begin_.push_back(0);
  for (std::size_t row = 0, offset = kHeaderBytes; row < vocab_size; ++row, offset += 4) {
    const std::uint32_t end = read_u32(bytes, offset);
    if (end < table.row_begin_.back() || end > total) fail(path, offset, "row end", end, fmt::format("{} to {}", table.row_begin_.back(), total));
    table.row_begin_.push_back(end);
  }
  if (table.row_begin_.back() != total) fail(path, 12, "number of successors", total, fmt::format("{}", table.row_begin_.back()));
  for (std::size_t i = 0, offset = kHeaderBytes + 4 * std::size_t{vocab_size}; i < total; ++i, offset += 8) {
    const std::uint32_t token = read_u32(bytes, offset), count = read_u32(bytes, offset + 4);
    if (token >= vocab_size) fail(path, offset, "successor", token, fmt::format("0 to {}", vocab_size - 1));
    if (count == 0) fail(path, offset + 4, "count", count, "at least 1");
    table.successors_.push_back({static_cast<Token>(token), count});
  }
  return table;
}

}  // namespace speclab::engines
