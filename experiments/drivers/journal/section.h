#pragma once
// What a journal holds of one config, as one program on one machine measured it.

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/journal.h"

namespace speclab::experiments {

/// An entry that stays in its journal until it is asked for.
struct StoredEntry {
  JournalPlace place{};
  std::uint32_t journal = 0;  ///< of the log's (RunLog); 0 is its own
  int section = 1;
};

/// An entry of a cell as it stands in a journal.
struct StoredCell {
  std::string kind;   ///< ExperimentKind::entry
  std::string where;  ///< file and line, for messages
  Json found;
};

/// Entries behind one header, by the keys of their work.
struct Section {
  HeaderEntry header;
  std::unordered_map<std::string, StoredEntry> rows{};
  std::unordered_map<std::string, FailureEntry> failures{};  ///< of generations that have no row
  std::unordered_map<std::string, PilotEntry> pilots{};
  std::unordered_map<std::string, StoredEntry> paces{};  ///< by the generation that follows
  std::vector<CostEntry> costs{};
  std::unordered_map<std::string, PredictionEntry> predictions{};  ///< by the cell's id
  /// Entries of kinds without generations, by the ids of cell and prompt; no prompt: the whole
  /// cell.
  std::map<std::pair<std::string, std::string>, StoredCell> cell_entries{};
  bool finished = false;  ///< ended, and nothing was lost since

  /// @param line    of any kind but "header" and "end"
  /// @param stored  its place in the journal @param where  the same as text, made if it is needed
  /// @throws DataError if there is no kind of that name; nlohmann::json::exception
  void take(const EntryLine& line, const StoredEntry& stored,
            const std::function<std::string()>& where);
  /// Takes what `other`, of the same header, has and this one lacks. @param first_journal  of this
  /// one's log that is the other's own
  void include(const Section& other, std::uint32_t first_journal);

 private:
  void take_row(const std::string& key, const StoredEntry& entry);
  /// @return whether there is such a kind of table
  bool take_table(std::string_view kind, const Json& entry);
  void take_cell(std::string_view kind, const Json& entry, const std::string& where);
  void take_failure(const std::string& key, const FailureEntry& entry);
};

}  // namespace speclab::experiments
