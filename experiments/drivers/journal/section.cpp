#include "experiments/drivers/journal/section.h"

#include <algorithm>

#include "experiments/drivers/config/kinds.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Of a cell.
std::string cell_of(const Json& entry) { return entry.at("cell").get<std::string>(); }

bool is_cell_entry(std::string_view kind) {
  return std::ranges::any_of(experiment_kinds(), [&](const ExperimentKind& experiment) {
    return experiment.looks_at_drafts() && kind == experiment.entry;
  });
}

}  // namespace

void Section::take(const EntryLine& line, const StoredEntry& stored) {
  const std::string key(line.key);
  if (line.kind == "row")
    take_row(key, stored);
  else if (line.kind == "pace")
    paces.insert_or_assign(key, stored);
  else if (line.kind == "failure")
    take_failure(key, failure_entry(entry_json(line)));
  else if (line.kind == "pilot")
    pilots.insert_or_assign(key, pilot_entry(entry_json(line)));
  else
    take_table(line.kind, entry_json(line));
}

void Section::take_table(std::string_view kind, const Json& entry) {
  if (kind == "costs")
    for (const Json& cost : entry) costs.push_back(cost_entry(cost));
  else if (kind == "predictions")
    for (const Json& prediction : entry)
      predictions.insert_or_assign(cell_of(prediction), prediction_entry(prediction));
  else if (is_cell_entry(kind))
    cell_entries.insert_or_assign({cell_of(entry), entry.value("prompt", "")}, entry);
  else
    throw DataError("'" + escaped(std::string(kind)) + "' is no kind of entry");
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
