#pragma once
// Entries of a journal as JSON and back, by the names of their fields, and the lines that hold
// them. Keys and numbers of generations, pilots, cells and prompts are not among them (RunLog).

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

using Json = nlohmann::ordered_json;

Json to_json(const HeaderEntry& entry);
Json to_json(const RowEntry& entry);
Json to_json(const FailureEntry& entry);
Json to_json(const PilotEntry& entry);
Json to_json(const PaceEntry& entry);
Json to_json(const CostEntry& entry);
Json to_json(const PredictionEntry& entry);

/// @throws DataError if something is missing or of another type
/// @throws DriftError if a later revision wrote the journal in a form that is not known here
HeaderEntry header_entry(const Json& json);
/// @throws DataError if something is missing or of another type
RowEntry row_entry(const Json& json);
FailureEntry failure_entry(const Json& json);
PilotEntry pilot_entry(const Json& json);
PaceEntry pace_entry(const Json& json);
CostEntry cost_entry(const Json& json);
PredictionEntry prediction_entry(const Json& json);

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
