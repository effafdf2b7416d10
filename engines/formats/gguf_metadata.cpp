#include "engines/formats/gguf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "engines/formats/input_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr const char *kWrongModel = "use a file that carries this key",
                     *kOtherValue = "use another model, or convert it again";

std::string quoted_key(std::string_view key) { return "metadata '" + escaped(key, 64) + "'"; }

const char* name_of(const GgufValue& value) {
  constexpr const char* kNames[] = {"a bool",
                                    "an integer",
                                    "an integer",
                                    "a float",
                                    "a string",
                                    "an array of integers",
                                    "an array of integers",
                                    "an array of floats",
                                    "an array of strings"};
  return kNames[value.index()];
}

template <typename T>
constexpr const char* name_of_type() {
  if constexpr (std::same_as<T, bool>) return "a bool";
  if constexpr (std::same_as<T, std::string>) return "a string";
  if constexpr (std::floating_point<T>) return "a float";
  return sizeof(T) == 4 ? (std::is_signed_v<T> ? "a 32-bit integer" : "an integer in [0, 2^32)")
                        : (std::is_signed_v<T> ? "a 64-bit integer" : "an integer in [0, 2^64)");
}

template <typename T>
std::optional<T> converted(const GgufValue& value) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    const T* found = std::get_if<T>(&value);
    return found ? std::optional<T>(*found) : std::nullopt;
  } else if constexpr (std::floating_point<T>) {
    const double* found = std::get_if<double>(&value);
    return found ? std::optional<T>(static_cast<T>(*found)) : std::nullopt;
  } else {
    const auto* natural = std::get_if<std::uint64_t>(&value);
    if (natural && std::in_range<T>(*natural)) return static_cast<T>(*natural);
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer && std::in_range<T>(*integer)) return static_cast<T>(*integer);
    return std::nullopt;
  }
}

std::string shown(const GgufValue& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *natural);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return name_of(value);
}

constexpr std::uint64_t kMaxStringBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxArrayElements = 1 << 24;
constexpr std::uint64_t kStringLengthBytes = 8;

/// @source GGUF specification, gguf_metadata_value_type
enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};

/// Calls `visit` with a value of the C++ type that `type` stands for in the file.
template <typename Visit>
GgufValue visit_number_type(ByteCursor& cursor, ValueType type, Visit visit) {
  switch (type) {
    case ValueType::u8:
      return visit(std::uint8_t{});
    case ValueType::i8:
      return visit(std::int8_t{});
    case ValueType::u16:
      return visit(std::uint16_t{});
    case ValueType::i16:
      return visit(std::int16_t{});
    case ValueType::u32:
      return visit(std::uint32_t{});
    case ValueType::i32:
      return visit(std::int32_t{});
    case ValueType::f32:
      return visit(float{});
    case ValueType::u64:
      return visit(std::uint64_t{});
    case ValueType::i64:
      return visit(std::int64_t{});
    case ValueType::f64:
      return visit(double{});
    case ValueType::array:
      cursor.fail(4, "type", "an array of arrays", "arrays of numbers, bools or strings",
                  FileProblem::kOtherModel);
    default:
      cursor.fail(4, "type", fmt::format("{}", static_cast<std::uint32_t>(type)), "0 to 12");
  }
}

template <typename Stored>
using Widest =
    std::conditional_t<std::is_floating_point_v<Stored>, double,
                       std::conditional_t<std::is_signed_v<Stored>, std::int64_t, std::uint64_t>>;

bool read_bool(ByteCursor& cursor) {
  const auto value = cursor.read<std::uint8_t>("value");
  if (value > 1) cursor.fail(1, "value", fmt::format("bool {}", value), "0 or 1");
  return value == 1;
}

std::uint64_t read_array_length(ByteCursor& cursor, std::uint64_t min_element_bytes) {
  const auto length = cursor.read<std::uint64_t>("length");
  const std::uint64_t allowed =
      std::min(kMaxArrayElements, cursor.bytes_left() / min_element_bytes);
  if (length > allowed)
    cursor.fail(sizeof(length), "length", fmt::format("{}", length),
                fmt::format("0 to {}", allowed));
  return length;
}

template <typename Element, typename Read>
std::vector<Element> read_elements(ByteCursor& cursor, std::uint64_t min_element_bytes, Read read) {
  const std::uint64_t length = read_array_length(cursor, min_element_bytes);
  std::vector<Element> elements;
  elements.reserve(static_cast<std::size_t>(length));
  for (std::uint64_t i = 0; i < length; ++i) elements.push_back(read());
  return elements;
}

GgufValue read_array(ByteCursor& cursor) {
  const auto type = static_cast<ValueType>(cursor.read<std::uint32_t>("element_type"));
  if (type == ValueType::string) {
    return read_elements<std::string>(cursor, kStringLengthBytes, [&] {
      return cursor.read_string("value", 0, kMaxStringBytes);
    });
  }
  if (type == ValueType::boolean) {
    return read_elements<std::uint64_t>(cursor, 1,
                                        [&] { return std::uint64_t{read_bool(cursor)}; });
  }
  return visit_number_type(cursor, type, [&]<typename Stored>(Stored) -> GgufValue {
    return read_elements<Widest<Stored>>(
        cursor, sizeof(Stored), [&] { return Widest<Stored>{cursor.read<Stored>("value")}; });
  });
}

}  // namespace

bool GgufMetadata::insert(GgufEntry entry) {
  if (!index_.emplace(entry.key, entries_.size()).second) return false;
  entries_.push_back(std::move(entry));
  return true;
}

const GgufEntry* GgufMetadata::find_entry(std::string_view key) const {
  const auto found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const GgufEntry& GgufMetadata::entry(std::string_view key) const {
  if (const GgufEntry* found = find_entry(key)) return *found;
  throw_model_file_error(path_, 0, {quoted_key(key), "missing", "present", kWrongModel});
}

template <GgufScalar T>
std::optional<T> GgufMetadata::find(std::string_view key) const {
  const GgufEntry* found = find_entry(key);
  if (!found) return std::nullopt;
  if (const auto value = converted<T>(found->value)) return value;
  fail(key, shown(found->value), name_of_type<T>());
}

template <GgufScalar T>
T GgufMetadata::get(std::string_view key) const {
  entry(key);
  return *find<T>(key);
}

template <typename T>
const T& GgufMetadata::array(std::string_view key, const char* allowed) const {
  const GgufValue& value = entry(key).value;
  if (const T* found = std::get_if<T>(&value)) return *found;
  fail(key, shown(value), allowed);
}

const std::vector<std::string>& GgufMetadata::get_strings(std::string_view key) const {
  return array<std::vector<std::string>>(key, "an array of strings");
}

std::vector<std::int64_t> GgufMetadata::get_integers(std::string_view key) const {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&entry(key).value))
    return *integers;
  const auto& naturals = array<std::vector<std::uint64_t>>(key, "an array of integers");
  std::vector<std::int64_t> result;
  result.reserve(naturals.size());
  for (const std::uint64_t natural : naturals) {
    if (!std::in_range<std::int64_t>(natural))
      fail(key, fmt::format("{}", natural), "integers below 2^63");
    result.push_back(static_cast<std::int64_t>(natural));
  }
  return result;
}

const std::vector<double>& GgufMetadata::get_floats(std::string_view key) const {
  return array<std::vector<double>>(key, "an array of floats");
}

std::vector<std::int64_t> GgufMetadata::find_integers(std::string_view key) const {
  const GgufEntry* found = find_entry(key);
  if (!found) return {};
  const bool is_one = std::holds_alternative<std::uint64_t>(found->value) ||
                      std::holds_alternative<std::int64_t>(found->value);
  return is_one ? std::vector<std::int64_t>{get<std::int64_t>(key)} : get_integers(key);
}

void GgufMetadata::fail(std::string_view key, std::string found, std::string allowed) const {
  const GgufEntry* blamed = find_entry(key);
  throw_model_file_error(path_, blamed ? blamed->offset : 0,
                         {quoted_key(key), std::move(found), std::move(allowed), kOtherValue});
}

template std::optional<bool> GgufMetadata::find(std::string_view) const;
template std::optional<std::string> GgufMetadata::find(std::string_view) const;
template std::optional<float> GgufMetadata::find(std::string_view) const;
template std::optional<double> GgufMetadata::find(std::string_view) const;
template std::optional<std::int32_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::uint32_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::int64_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::uint64_t> GgufMetadata::find(std::string_view) const;
template bool GgufMetadata::get(std::string_view) const;
template std::string GgufMetadata::get(std::string_view) const;
template float GgufMetadata::get(std::string_view) const;
template double GgufMetadata::get(std::string_view) const;
template std::int32_t GgufMetadata::get(std::string_view) const;
template std::uint32_t GgufMetadata::get(std::string_view) const;
template std::int64_t GgufMetadata::get(std::string_view) const;
template std::uint64_t GgufMetadata::get(std::string_view) const;

GgufValue read_gguf_value(ByteCursor& cursor) {
  const auto type = static_cast<ValueType>(cursor.read<std::uint32_t>("type"));
  if (type == ValueType::array) return read_array(cursor);
  if (type == ValueType::string) return cursor.read_string("value", 0, kMaxStringBytes);
  if (type == ValueType::boolean) return read_bool(cursor);
  return visit_number_type(cursor, type, [&]<typename Stored>(Stored) -> GgufValue {
    return Widest<Stored>{cursor.read<Stored>("value")};
  });
}

}  // namespace speclab::engines
