#include "experiments/drivers/run/section.h"

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// Empty in journals of programs that had none.
std::string key_of(const Json& entry) { return entry.value("key", std::string()); }

}  // namespace

void Section::take(const std::string& kind, const Json& entry) {
  if (kind == "row") take_row(entry);
  else if (kind == "failure") take_failure(key_of(entry), failure_entry(entry));
  else if (kind == "pilot") pilots.insert_or_assign(key_of(entry), pilot_entry(entry));
  else if (kind == "pace") paces.insert_or_assign(key_of(entry), pace_entry(entry));
  else if (kind == "costs") for (const Json& cost : entry) costs.push_back(cost_entry(cost));
  else if (kind == "predictions") for (const Json& prediction : entry) predictions.insert_or_assign(key_of(prediction), prediction_entry(prediction));
  else if (kind == "atlas") atlas.insert_or_assign(key_of(entry), atlas_entry(entry));
  else if (kind == "acceptance") acceptances.insert_or_assign({key_of(entry), entry.at("prompt").get<std::string>()}, acceptance_entry(entry));
  else throw DataError("'" + escaped(kind) + "' is no kind of entry");
}

/// A generation that failed before and has a row now has not failed.
void Section::take_row(const Json& entry) {
  const std::string key = key_of(entry);
  rows.insert_or_assign(key, row_entry(entry));
  failures.erase(key);
}

void Section::take_failure(const std::string& key, const FailureEntry& entry) {
  if (rows.contains(key)) return;
  const auto [known, is_new] = failures.try_emplace(key, entry);
  if (!is_new && entry.attempts >= known->second.attempts) known->second = entry;
}

void Section::include(const Section& other) {
  if (costs.empty()) costs = other.costs;
  predictions.insert(other.predictions.begin(), other.predictions.end());
  pilots.insert(other.pilots.begin(), other.pilots.end());
  paces.insert(other.paces.begin(), other.paces.end());
  atlas.insert(other.atlas.begin(), other.atlas.end());
  acceptances.insert(other.acceptances.begin(), other.acceptances.end());
  rows.insert(other.rows.begin(), other.rows.end());
  for (const auto& [key, row] : other.rows) failures.erase(key);
  for (const auto& [key, failure] : other.failures) take_failure(key, failure);
}

}  // namespace speclab::experiments
