#pragma once
#include <string>

#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"

namespace speclab::engines::testing {

/// The words that refuse a schema; "taken" if it is read.
inline std::string schema_refusal(const std::string& schema) {
  try {
    read_json_schema(schema, "s.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace speclab::engines::testing
