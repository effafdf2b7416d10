#include "experiments/drivers/journal/run_log.h"

#include <algorithm>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/named_fields.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The id of an entry's cell.
std::string cell_of(const Json& entry) { return entry.at("cell").get<std::string>(); }

}  // namespace

void Section::take(const EntryLine& line, const StoredEntry& stored,
                   const std::function<std::string()>& where) {
  const std::string key(line.key);
  if (line.kind == "row")
    take_row(key, stored);
  else if (line.kind == "pace")
    paces.insert_or_assign(key, stored);
  else if (line.kind == "failure")
    take_failure(key, failure_entry(entry_json(line)));
  else if (line.kind == "pilot")
    pilots.insert_or_assign(key, pilot_entry(entry_json(line)));
  else if (const Json entry = entry_json(line); !take_table(line.kind, entry))
    take_cell(line.kind, entry, where());
}

bool Section::take_table(std::string_view kind, const Json& entry) {
  if (kind == "costs")
    for (const Json& cost : as_rows(entry)) costs.push_back(cost_entry(cost));
  else if (kind == "predictions")
    for (const Json& prediction : as_rows(entry))
      predictions.insert_or_assign(cell_of(prediction), prediction_entry(prediction));
  else
    return false;
  return true;
}

void Section::take_cell(std::string_view kind, const Json& entry, const std::string& where) {
  const auto found = std::ranges::find_if(experiment_kinds(), [&](const ExperimentKind& e) {
    return e.looks_at_drafts() && kind == e.entry;
  });
  if (found == experiment_kinds().end())
    throw DataError("'" + escaped(std::string(kind)) + "' is no kind of entry");
  const std::string prompt = found->is_by_prompt ? entry.at("prompt").get<std::string>() : "";
  cell_entries.insert_or_assign({cell_of(entry), prompt},
                                StoredCell{std::string(kind), where, entry});
}

/// A generation that failed before and has a row now has not failed.
void Section::take_row(const std::string& key, const StoredEntry& entry) {
  rows.insert_or_assign(key, entry);
  failures.erase(key);
}

void Section::take_failure(const std::string& key, const FailureEntry& entry) {
  if (rows.contains(key)) return;
  const auto [known, is_new] = failures.try_emplace(key, entry);
  if (!is_new && entry.attempts >= known->second.attempts) known->second = entry;
}

void Section::include(const Section& other, std::uint32_t first_journal) {
  const auto moved = [&](const auto& entry) {
    StoredEntry stored = entry.second;
    stored.journal += first_journal;
    return std::pair(entry.first, stored);
  };
  if (costs.empty()) costs = other.costs;
  predictions.insert(other.predictions.begin(), other.predictions.end());
  pilots.insert(other.pilots.begin(), other.pilots.end());
  cell_entries.insert(other.cell_entries.begin(), other.cell_entries.end());
  for (const auto& entry : other.paces) paces.insert(moved(entry));
  for (const auto& entry : other.rows) rows.insert(moved(entry));
  for (const auto& [key, row] : other.rows) failures.erase(key);
  for (const auto& [key, failure] : other.failures) take_failure(key, failure);
}

}  // namespace speclab::experiments
