#pragma once
// Structs as JSON and back. A function of each type binds names to its fields, for both ways:
//
//   void name_fields(const auto& bind, Is<ReadBytes> auto& read) {
//     bind("target", read.target, "draft", read.draft);
//   }
//
// A struct is an object, a list of structs one object of lists: {"target":[10,12],"draft":[1,2]}.
// Format 1 of the journal has lists in the place of these objects, with the values in the order in
// which fields are bound. The order of the bindings therefore never changes, and a new field is
// bound last.

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "experiments/drivers/journal/entry_json.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

/// A text or list that is left out where it is empty, as an optional field without a value is.
template <typename T>
struct MayLack {
  T& value;

  explicit operator bool() const { return !value.empty(); }
  T& operator*() const { return value; }
  T& emplace() const { return value; }
};
template <typename T>
MayLack(T&) -> MayLack<T>;

/// A number that is left out where it is 1.
template <typename T>
struct UsuallyOne {
  T& value;

  explicit operator bool() const { return value != 1; }
  T& operator*() const { return value; }
  T& emplace() const { return value; }
};
template <typename T>
UsuallyOne(T&) -> UsuallyOne<T>;

/// All values of an enumeration, which stand as their texts.
template <typename Enum>
inline constexpr auto kValues = std::array<Enum, 0>{};

/// Visits names and fields.
template <typename Visit>
struct Bind {
  Visit visit;

  void operator()() const {}
  template <typename T, typename... More>
  void operator()(const char* name, T&& field, More&&... more) const {
    visit(name, field);
    (*this)(std::forward<More>(more)...);
  }
};
template <typename Visit>
Bind(Visit) -> Bind<Visit>;

template <typename T>
concept HasFields = requires(T& value, const Bind<int>& bind) { name_fields(bind, value); };

template <typename T>
concept IsOptional = requires(T& field) { field ? field.emplace() : *field; };

// Where the fields of structs stand in JSON, in both formats of the journal.

/// Objects, which have at least one name in common, as one object of columns; null where an object
/// lacks a name.
Json as_columns(Json objects);
/// The objects that columns were made of; a list of format 1 stays as it is. @throws DataError
/// where columns are of different lengths, nlohmann::json::exception
Json as_rows(const Json& columns);
/// The field of a struct; null where it is not there. @param place  among its fields
const Json* field_in(const Json& json, const char* name, std::size_t place);
/// Whether an optional field has no value: format 1 has an empty text or an empty list there, too.
bool tells_nothing(const Json& json);

template <typename T>
Json json_of(const T& value);

template <typename T>
Json list_json(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& value : list) json.push_back(json_of(value));
  return HasFields<T> ? as_columns(std::move(json)) : json;
}
/// Values with names of their own.
template <typename T>
Json list_json(const std::vector<std::pair<std::string, T>>& list) {
  return Json::object_t(list.begin(), list.end());
}

template <typename T>
Json json_of(const T& value) {
  if constexpr (HasFields<T>) {
    Json json = Json::object();
    name_fields(Bind{[&](const char* name, const auto& field) {
                  if (Json part = json_of(field); !part.is_null()) json[name] = std::move(part);
                }},
                value);
    return json;
  } else if constexpr (IsOptional<T>) {
    return value ? json_of(*value) : Json();
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (requires { list_json(value); }) {
    return list_json(value);
  } else {
    return value;
  }
}

template <typename T>
void read_value(const Json& json, T& value);

/// @param found  null where the field is not there
template <typename T>
void read_field(const Json* found, T& field) {
  if constexpr (IsOptional<T>) {
    if (found && !tells_nothing(*found)) read_value(*found, field.emplace());
  } else {
    if (!found) throw DataError("is missing");
    read_value(*found, field);
  }
}

template <typename T>
void read_list(const Json& json, std::vector<T>& list) {
  const Json values = HasFields<T> ? as_rows(json) : json;
  for (const Json& value : values.get_ref<const Json::array_t&>())
    read_value(value, list.emplace_back());
}
template <typename T>
void read_list(const Json& json, std::vector<std::pair<std::string, T>>& list) {
  if (json.is_array())  // of format 1
    json.get_to(list);
  else
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>())
      list.emplace_back(name, value.template get<T>());
}

template <typename Enum>
Enum enumerator(const std::string& text) {
  for (const Enum value : kValues<Enum>)
    if (text == to_string(value)) return value;
  throw DataError("'" + escaped(text) + "' is no value of its field");
}

template <typename T>
void read_value(const Json& json, T& value) {
  if constexpr (HasFields<T>) {
    std::size_t place = 0;
    name_fields(Bind{[&](const char* name, auto& field) {
                  try {
                    read_field(field_in(json, name, place++), field);
                  } catch (const std::exception& error) {
                    throw DataError(fmt::format("{}: {}", name, error.what()));
                  }
                }},
                value);
  } else if constexpr (std::is_enum_v<T>) {
    value = enumerator<T>(json.get<std::string>());
  } else if constexpr (requires { read_list(json, value); }) {
    read_list(json, value);
  } else {
    json.get_to(value);
  }
}

/// @throws DataError that names the field which is missing or of another type
template <typename T>
T value_of(const Json& json) {
  T value{};
  read_value(json, value);
  return value;
}

}  // namespace speclab::experiments
