#include "experiments/drivers/journal/named_fields.h"

#include <fmt/format.h>

#include <utility>

#include "sim/system/errors.h"

namespace speclab::experiments {

Json as_columns(Json objects) {
  Json columns = Json::object();
  for (std::size_t row = 0; row < objects.size(); ++row)
    for (auto& [name, value] : objects[row].get_ref<Json::object_t&>()) {
      Json& column = columns[name];
      if (column.is_null()) column = Json::array_t(objects.size());
      column[row] = std::move(value);
    }
  return columns;
}

Json as_rows(const Json& columns) {
  if (columns.is_array()) return columns;
  Json rows = Json::array();
  for (const auto& [name, column] : columns.get_ref<const Json::object_t&>()) {
    if (rows.empty()) rows = Json::array_t(column.size(), Json::object());
    if (column.size() != rows.size())
      throw DataError(fmt::format("{}: {} values; expected {}", name, column.size(), rows.size()));
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (!column.at(row).is_null()) rows[row][name] = column[row];
  }
  return rows;
}

const Json* field_in(const Json& json, const char* name, std::size_t place) {
  if (json.is_array()) return place < json.size() ? &json[place] : nullptr;
  const auto& object = json.get_ref<const Json::object_t&>();
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

bool tells_nothing(const Json& json) {
  return json.is_null() || json == "" || json == Json::array();
}

}  // namespace speclab::experiments
