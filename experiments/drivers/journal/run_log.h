#pragma once
// What a journal says: one entry a payload, in sections. A section is what a journal holds of one
// config, as one program on one machine measured it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/journal.h"
#include "experiments/drivers/journal/run_entries.h"
#include "experiments/drivers/journal/work_keys.h"

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

/// Entries of kinds without generations, by cell and prompt; no prompt: the whole cell.
using CellEntries = std::map<std::pair<std::size_t, std::optional<std::size_t>>, CellEntry>;

/// Keyed by row_id; the journals keep the contents.
using StoredEntries = std::map<std::int64_t, StoredEntry>;

/// The part of a log that a plan uses, numbered as the plan does.
struct PlanView {
  std::string folder{};                    ///< of the journal, for messages
  std::shared_ptr<const WorkKeys> keys{};  ///< of the plan; null: none has looked yet
  int section = 0;                         ///< number of the plan's; 0: none
  std::optional<HeaderEntry> header{};     ///< of the plan's section
  StoredEntries rows{}, paces{};
  std::map<std::int64_t, FailureEntry> failures{};
  std::map<std::size_t, PilotEntry> pilots{};
  std::vector<CostEntry> costs{};
  std::vector<PredictionEntry> predictions{};
  CellEntries cell_entries{};
  bool finished = false;
  std::size_t num_rows_aside = 0;

  /// Takes rows, failures and pilots that the plan has and the sections before had not.
  void take_rows(int number, Section& from);
  /// All or none: they stand in one entry.
  void take_predictions(const Section& from);
  /// @param kind  of the entries that the plan makes
  void take_cell_entries(const Section& from, std::string_view kind);
  /// Pilots say what a drafter accepts, which depends on what it runs on.
  void drop_foreign_pilots(const std::map<int, Section>& sections);
  /// The place of a key in the plan. @throws DataError if the plan's own section has work that is
  /// not the plan's
  std::optional<std::size_t> known(std::optional<std::size_t> place, bool is_own,
                                   const std::string& key) const;
  std::string row_key(std::int64_t row_id) const {
    return keys ? keys->of_row(static_cast<std::size_t>(row_id)) : "";
  }
  std::string cell_key(std::size_t cell) const { return keys ? keys->of_cell(cell) : ""; }
};

/// The journal of a run, read and appended to entry by entry. It has sections, each behind a
/// header; every entry says which it belongs to. A config that is edited, or another program or
/// machine, opens one. A plan looks at the log: it has one section of its own, and of the others
/// what is the same work.
class RunLog {
 public:
  /// A log without a file.
  RunLog() : journal_(Journal::in_memory()) {}
  /// Reads the sections. @throws DataError if the journal is damaged or holds what is no entry;
  /// what rows and paces say is looked at when they are read
  explicit RunLog(const std::string& folder, Journal::Tail tail = Journal::Tail::cut_off);
  /// The same, looked at by `plan`.
  RunLog(const Plan& plan, const std::string& folder, Journal::Tail tail = Journal::Tail::cut_off)
      : RunLog(folder, tail) {
    look_at(plan);
  }

  /// Takes what `part` has read and this log has not, without writing it: a run is the union of its
  /// journals. Where both have a row, this log's stays. To be called before either was looked at.
  void include(const RunLog& part);
  /// Gives up a section that the run does not know.
  void leave_out(int number) { sections_.erase(number); }
  /// Sections read, by number; empty entries once a plan has looked at them.
  const std::map<int, Section>& sections() const { return sections_; }
  /// The last section that was opened for a plan of the same work; 0 if there is none.
  int section_of(const Plan& plan) const;
  /// Numbers what was read as the plan does: costs, predictions, pace and entries of cells of its
  /// section, rows and failures of all, its own first, and the pilots of all that run on the same.
  /// @throws DataError if an entry of its section is none of its work
  void look_at(const Plan& plan);

  /// Whether generations that have failed are open however often they were tried.
  bool retries_failed() const { return retries_failed_; }
  void set_retries_failed(bool retries) { retries_failed_ = retries; }

  /// Opens the next section, for the plan that looks at the log: what it knows of rows, failures
  /// and, on the same machine, pilots stays.
  void add(const HeaderEntry& entry) { open_section(num_opened_ + 1, entry); }
  /// Opens a section of another journal here too.
  void open_section(int number, const HeaderEntry& header);
  void add(const RowEntry& entry);
  void add(const FailureEntry& entry);
  void add(const PilotEntry& entry);
  void add(const PaceEntry& entry);
  void add(const std::vector<CostEntry>& entries);
  void add(const std::vector<PredictionEntry>& entries);
  /// @param kind  ExperimentKind::entry
  void add(const char* kind, CellEntry entry);
  void add_end();
  /// To be called before a log of an earlier process is added to; see Journal::secure.
  void secure() const { journal_.secure(); }

  /// Number of the plan's section; 0 where it has none.
  int section() const { return view_.section; }
  /// Of the plan's section.
  const std::optional<HeaderEntry>& header() const { return view_.header; }
  /// Keyed by row_id; the journals keep the contents.
  const StoredEntries& rows() const { return view_.rows; }
  /// Reads what the rows say, in the order of row_id. @throws DataError if a journal cannot be
  /// read, or a row of it
  void for_each_row(const std::function<void(const RowEntry&)>& visit) const;
  /// By row_id, of generations that have no row.
  const std::map<std::int64_t, FailureEntry>& failures() const { return view_.failures; }
  const std::map<std::size_t, PilotEntry>& pilots() const { return view_.pilots; }
  const StoredEntries& paces() const { return view_.paces; }  ///< by row_id
  /// As for_each_row.
  void for_each_pace(const std::function<void(const PaceEntry&)>& visit) const;
  const std::vector<CostEntry>& costs() const {
    return view_.costs;
  }  ///< empty until all are measured
  const std::vector<PredictionEntry>& predictions() const {
    return view_.predictions;
  }  ///< of every cell, in order; empty until they are made
  const CellEntries& cell_entries() const { return view_.cell_entries; }
  bool finished() const { return view_.finished; }  ///< ended, and nothing was lost since
  /// Rows of other configs, which this plan has no use for.
  std::size_t num_rows_aside() const { return view_.num_rows_aside; }
  std::size_t num_bytes_cut() const { return journal_.num_bytes_cut(); }
  /// Entries whose section's header is not there: a repair could not save it.
  std::size_t num_orphans() const { return num_orphans_; }

 private:
  void take(std::string_view payload, JournalPlace place);
  void open(int number, const Json& header);
  template <typename Entry>
  void for_each(const StoredEntries& stored, Entry (*read)(const Json&),
                const std::function<void(const Entry&)>& visit) const;
  StoredEntry append(const char* kind, const Json& entry, const std::string& key = "");

  Journal journal_;
  std::vector<std::shared_ptr<const Journal>> included_;  ///< StoredEntry::journal less one
  std::map<int, Section> sections_;
  int num_opened_ = 0;  ///< greatest number of a section
  PlanView view_;
  bool retries_failed_ = false;
  std::size_t num_orphans_ = 0;
  std::size_t num_taken_ = 0;  ///< entries read
};

}  // namespace speclab::experiments
