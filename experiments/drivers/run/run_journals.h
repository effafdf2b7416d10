#pragma once
// The journals of a run folder: its own and those of its shards, held against other processes.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/run_lock.h"

namespace speclab::experiments {

/// Where the journals are, and how they are met.
struct JournalAccess {
  std::string folder;
  bool repair = false;        ///< damaged journals are put aside, and changed files are no error
  bool retry_failed = false;  ///< as RunOptions::retry_failed
  bool allow_mixed = false;   ///< keys of the config that say what work is done on may be others
  NetworkFolder network_folder = NetworkFolder::refused;
  /// The holder of a folder may be a worker whose parent was just killed, so that a moment helps.
  /// `none` is for a look at a run that another process may be measuring: nothing is changed,
  /// unfinished lines are left, and the tables are not looked at.
  enum class Lock : std::uint8_t {
    waits_a_moment,
    refuses_at_once,
    none
  } lock = Lock::waits_a_moment;
  std::function<void(const std::string&)> note = [](const std::string&) {
  };  ///< told what a repair has done and what was cut off
};

/// The files of a run are made from the union of its journals, so that it does not matter which
/// process measured what.
class RunJournals {
 public:
  /// Locks and reads what is there; the folder need not be. Unfinished lines are cut off, and
  /// damaged journals repaired where that is asked for.
  /// @throws LockedError, DataError (a damaged journal, results without one or changed, work that
  /// is not the plan's), DriftError (a config of
  ///         which nothing that was measured is work, or a shard of another run), WriteError (a
  ///         folder that cannot be looked at)
  RunJournals(const Plan& plan, JournalAccess access);

  /// Whether the run was begun for work of this plan.
  bool has_header() const { return log_.header().has_value(); }
  /// What the plan can go on from; empty where nothing was begun.
  const RunLog& log() const { return log_; }
  /// Of the plan's section, else of the last that was opened; null where nothing was begun.
  const HeaderEntry* last_header() const;
  /// Whether nothing is left to measure, so that only files may be missing.
  bool is_measured() const { return has_header() && log_.finished() && is_whole(); }
  /// Whether all is measured, or has failed for good, and every file is there.
  bool is_complete() const;
  /// Tables are made from journals: what they hold beyond them was lost there. @throws DataError if
  /// rows.csv, or the table of another kind, does
  void check_nothing_lost() const;
  /// The log to write to, with the folder and its lock made where they are not there.
  RunLog& open_for_writing();
  /// Ends the log where nothing is left to measure.
  void end_if_whole();

 private:
  /// The journal of the run or of a shard, under its lock, repaired where that is asked for.
  RunLog open(const std::string& folder);
  bool is_locked() const { return access_.lock != JournalAccess::Lock::none; }
  void check_edit() const;
  std::unique_ptr<RunLock> lock(const std::string& folder) const;
  void take_shards();
  bool is_whole() const;

  const Plan& plan_;
  JournalAccess access_;
  std::vector<std::unique_ptr<RunLock>> locks_;
  RunLog log_;
};

/// Folder of a shard, which is a process that measures some of the generations into a journal of
/// its own.
std::string shard_folder(const std::string& run_folder, int shard);

/// The lock of a folder that another process may be about to leave: a worker dies with the process
/// that started it, but a moment later.
/// @throws LockedError if it has not left within half a second
std::unique_ptr<RunLock> lock_soon(const std::string& folder, NetworkFolder network);

}  // namespace speclab::experiments
