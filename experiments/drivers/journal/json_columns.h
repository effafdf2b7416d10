#pragma once
// Where the fields of structs stand in JSON, in both formats of the journal (named_fields.h).

#include <cstddef>

#include "experiments/drivers/journal/entry_json.h"

namespace speclab::experiments {

/// Objects, which have at least one name in common, as one object of columns; null where an object
/// lacks a name.
Json as_columns(const Json& objects);
/// The objects that columns were made of; a list of format 1 stays as it is. @throws DataError
/// where columns are of different lengths, nlohmann::json::exception
Json as_rows(const Json& columns);
/// The field of a struct; null where it is not there. @param place  among its fields
const Json* field_in(const Json& json, const char* name, std::size_t place);
/// Whether an optional field has no value: format 1 has an empty text or an empty list there, too.
bool tells_nothing(const Json& json);

}  // namespace speclab::experiments
