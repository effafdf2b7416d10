#pragma once
// The key-value part of a GGUF file, with typed access whose errors name file, byte and key.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "engines/formats/byte_cursor.h"

namespace speclab::engines {

/// Integers and floats are kept in their widest type; an array of bool is one of 0 and 1.
using GgufValue =
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string, std::vector<std::uint64_t>,
                 std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

struct GgufEntry {
  std::string key;
  GgufValue value;
  std::uint64_t offset = 0;  ///< of the value, bytes
};

template <typename T>
concept GgufScalar =
    std::same_as<T, bool> || std::same_as<T, std::string> || std::same_as<T, float> ||
    std::same_as<T, double> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

class GgufMetadata {
 public:
  explicit GgufMetadata(std::string path) : path_(std::move(path)) {}

  /// @return false if the key is there already
  bool insert(GgufEntry entry);
  const std::vector<GgufEntry>& entries() const { return entries_; }  ///< in the order of the file
  bool contains(std::string_view key) const { return find_entry(key) != nullptr; }

  /// An integer serves any integer type that holds its value.
  /// @throws ModelFileError if the key is missing, of another type or out of the type's range
  template <GgufScalar T>
  T get(std::string_view key) const;
  /// The same, but nothing where the key is missing.
  template <GgufScalar T>
  std::optional<T> find(std::string_view key) const;

  /// @throws ModelFileError if the key is missing or no array of strings
  const std::vector<std::string>& get_strings(std::string_view key) const;
  /// @throws ModelFileError if the key is missing, no array of integers, or holds one outside int64
  std::vector<std::int64_t> get_integers(std::string_view key) const;
  /// @throws ModelFileError if the key is missing or no array of floats
  const std::vector<double>& get_floats(std::string_view key) const;
  /// Integers of a key that holds one or an array of them; none where the key is missing.
  std::vector<std::int64_t> find_integers(std::string_view key) const;

  /// Refuses a value that has the right type but makes no sense to its reader.
  [[noreturn]] void fail(std::string_view key, std::string found, std::string allowed) const;

 private:
  const GgufEntry* find_entry(std::string_view key) const;
  const GgufEntry& entry(std::string_view key) const;
  template <typename T>
  const T& array(std::string_view key, const char* allowed) const;

  std::string path_;
  std::vector<GgufEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// Reads a value type and the value it announces.
/// @throws ModelFileError for an unknown type, an array of arrays, a length beyond the limits or
/// beyond the file, a bool not 0 or 1
GgufValue read_gguf_value(ByteCursor& cursor);

}  // namespace speclab::engines
