#pragma once
// The line of a run's journal that holds an entry.

#include <string>
#include <string_view>

#include "experiments/drivers/journal/entry_json.h"

namespace speclab::experiments {

/// "KIND SECTION KEY JSON": whose entry it is stands before what it says, so that a journal is
/// opened without reading the latter.
struct EntryLine {
  std::string_view kind;
  int section = 1;
  std::string_view key;  ///< of its work; empty where it has none, which the line has as "-"
  std::string_view json;
};

/// @throws DataError if it is none
EntryLine entry_line(std::string_view payload);
/// Text that is no UTF-8 is replaced.
std::string entry_payload(const EntryLine& place, const Json& entry);
/// What the line of a payload says. @throws DataError if it is no JSON
Json entry_json(const EntryLine& line);

}  // namespace speclab::experiments
