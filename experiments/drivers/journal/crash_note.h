#pragma once
// A generation that takes the process with it, as the process's last words tell the one that goes
// on.

#include <array>
#include <csignal>
#include <string>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/journal/work_keys.h"
#include "experiments/drivers/program/progress.h"

namespace speclab::experiments {

/// While it lives, a signal by which a process ends itself (a bad address, an abort, an illegal
/// instruction) leaves the key of the generation in hand in the file `crashed` of the run folder;
/// then it does what it did before. Being killed is no crash: nothing is left. One at a time, on
/// the thread that decodes. For runs of one process: what workers die of, the process that hands
/// out their work sees (WorkerPool).
class CrashNote {
 public:
  CrashNote(const Plan& plan, const std::string& folder);
  ~CrashNote();
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

 private:
  const WorkKeys keys_;
  const std::string path_;
  std::array<struct sigaction, 5> old_;
  stack_t old_stack_;
};

/// While it lives, engines are at work for this row.
class RowInHand {
 public:
  explicit RowInHand(std::size_t row);
  ~RowInHand();
  RowInHand(const RowInHand&) = delete;
  RowInHand& operator=(const RowInHand&) = delete;
};

/// Makes a failure of what an earlier process left in `crashed`, and takes the file away. @throws
/// WriteError if it cannot
void take_crash_note(const Plan& plan, const std::string& folder, RunLog& log, Progress& progress);

}  // namespace speclab::experiments
