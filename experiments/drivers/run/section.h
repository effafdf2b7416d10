#pragma once
// What a journal holds of one config, as one program on one machine measured it.

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/drivers/run/entry_json.h"

namespace speclab::experiments {

/// Entries behind one header, by the keys of their work.
struct Section {
  HeaderEntry header;
  std::unordered_map<std::string, RowEntry> rows{};
  std::unordered_map<std::string, FailureEntry> failures{};  ///< of generations that have no row
  std::unordered_map<std::string, PilotEntry> pilots{};
  std::unordered_map<std::string, PaceEntry> paces{};        ///< by the generation that follows
  std::vector<CostEntry> costs{};
  std::unordered_map<std::string, PredictionEntry> predictions{};  ///< by the cell's id
  std::unordered_map<std::string, AtlasEntry> atlas{};             ///< by the cell's id
  std::map<std::pair<std::string, std::string>, AcceptanceEntry> acceptances{};  ///< by the ids of cell and prompt
  bool finished = false;                                     ///< ended, and nothing was lost since

  /// @param kind  of entry, but "header" and "end" @throws DataError if there is none of that name; nlohmann::json::exception
  void take(const std::string& kind, const Json& entry);
  /// Takes what `other`, of the same header, has and this one lacks.
  void include(const Section& other);

 private:
  void take_row(const Json& entry);
  void take_failure(const std::string& key, const FailureEntry& entry);
};

}  // namespace speclab::experiments
