#include "experiments/drivers/toml/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

namespace speclab::experiments {
namespace {

template <typename T>
struct ElementOf {
  using Type = T;
};
template <typename T>
struct ElementOf<std::vector<T>> {
  using Type = T;
};
template <typename T>
struct ElementOf<std::optional<T>> {
  using Type = T;
};

template <typename T>
constexpr bool is_optional = std::is_same_v<T, std::optional<typename ElementOf<T>::Type>>;

template <typename T>
constexpr bool is_list = std::is_same_v<T, std::vector<typename ElementOf<T>::Type>>;

template <typename T>
constexpr const char* type_name() {
  using Element = typename ElementOf<T>::Type;
  if constexpr (std::is_same_v<Element, bool>)
    return "true, false";
  else if constexpr (std::is_integral_v<Element>)
    return "integers";
  else if constexpr (std::is_same_v<Element, double>)
    return "numbers";
  else
    return is_list<T> ? "strings" : "a string";
}

template <typename T>
std::string values_text(const KeyDoc& doc) {
  using Element = typename ElementOf<T>::Type;
  if (!doc.choices.empty()) return comma_list(doc.choices);
  Range range = doc.range;
  if constexpr (std::is_unsigned_v<Element> && !std::is_same_v<Element, bool>)
    range.low = std::max(range.low, 0.0);
  std::string text =
      range.gap > 0 ? fmt::format("{}, or numbers from {} to {}", range.low, range.gap, range.high)
                    : range_text(type_name<T>(), range);
  return range.multiple_of > 1 ? text + fmt::format(", multiples of {}", range.multiple_of) : text;
}

void read_residual(ConfigReader& reader, const KeyDoc& doc, LenientResidual& residual) {
  std::string text = to_string(residual);
  reader.read(doc.key.c_str(), text, doc.choices);
  residual =
      text == to_string(LenientResidual::full) ? LenientResidual::full : LenientResidual::lenient;
}

template <typename Number>
void read_optional(ConfigReader& reader, const KeyDoc& doc, std::optional<Number>& value) {
  Number number = value.value_or(0);
  reader.read(doc.key.c_str(), number, doc.range);
  if (reader.has(doc.key.c_str())) value = number;
}

void read_texts(ConfigReader& reader, const KeyDoc& doc, std::vector<std::string>& texts) {
  reader.read(doc.key.c_str(), texts);
  if (!reader.has(doc.key.c_str()) || doc.choices.empty()) return;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (std::ranges::find(doc.choices, texts[i]) == doc.choices.end())
      reader.refuse_element(doc.key.c_str(), i, comma_list(doc.choices));
}

}  // namespace

std::string comma_list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

bool are_equal(const ValueOfKey& a, const ValueOfKey& b) {
  return std::visit([&]<typename T>(T* member) { return *member == *std::get<T*>(b); }, a);
}

std::string type_text(const KeyDoc& doc, const ValueOfKey& value) {
  return std::visit(
      [&]<typename T>(T*) { return (is_list<T> ? "list of " : "") + values_text<T>(doc); }, value);
}

std::string value_text(const ValueOfKey& value) {
  TomlText toml;
  write_value(toml, {}, value);
  const std::string line = toml.content();
  return line.empty()
             ? ""
             : line.substr(3, line.size() - 4);  // behind " = ", before the end of the line
}

void read_value(ConfigReader& reader, const KeyDoc& doc, const ValueOfKey& value) {
  const char* key = doc.key.c_str();
  std::visit(
      [&]<typename T>(T* member) {
        if constexpr (std::is_same_v<T, LenientResidual>)
          read_residual(reader, doc, *member);
        else if constexpr (is_optional<T>)
          read_optional(reader, doc, *member);
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          read_texts(reader, doc, *member);
        else if constexpr (std::is_same_v<T, bool>)
          reader.read(key, *member);
        else if constexpr (std::is_same_v<T, std::string>)
          doc.choices.empty() ? reader.read(key, *member) : reader.read(key, *member, doc.choices);
        else
          reader.read(key, *member, doc.range);
      },
      value);
}

void write_value(TomlText& toml, const KeyDoc& doc, const ValueOfKey& value) {
  std::visit(
      [&]<typename T>(T* member) {
        if constexpr (std::is_same_v<T, LenientResidual>)
          toml.add(doc.key, to_string(*member));
        else if constexpr (is_optional<T>) {
          if (*member) toml.add(doc.key, **member);
        } else
          toml.add(doc.key, *member);
      },
      value);
}

}  // namespace speclab::experiments
