#include "engines/formats/gguf_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace speclab::engines {
namespace {

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
