#include "experiments/drivers/run/run_journals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "analysis/io/file_digests.h"
#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/run/failures.h"
#include "experiments/drivers/run/manifest.h"
#include "experiments/drivers/run/run_files.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

bool has_journal(const std::string& folder) {
  std::error_code error;
  const bool there = std::filesystem::exists(folder + "/journal", error);
  if (error) throw WriteError(fmt::format("{}: {}; choose another --output", escaped(folder, 200), error.message()));
  return there;
}

/// The config first: it is known before anything is loaded.
void check_same_config(const Plan& plan, const HeaderEntry& begun, const std::string& folder) {
  HeaderEntry now = begun;
  now.config = to_toml(plan.config);
  check_same_origin(begun, now, folder);
}

/// Results without their journal cannot be resumed, and to write beside them would mix two runs.
void refuse_results_without_journal(const std::string& folder) {
  for (const char* file : kRunFiles)
    if (std::filesystem::exists(folder + "/" + file))
      throw DataError(fmt::format("{}/{} is there without a journal to resume from; give another --output, or move it away", folder, file));
}

/// Ids of a journal whose digests are right must still be the plan's.
void check_ids(const Plan& plan, const RunLog& log, const std::string& folder) {
  const auto check = [&](const char* what, std::int64_t id, std::size_t count) {
    if (id < 0 || id >= static_cast<std::int64_t>(count))
      throw DataError(fmt::format("{}/journal: {} {}; this plan has {}; give another --output", folder, what, id, count));
  };
  for (const auto& [row_id, row] : log.rows()) check("row_id", row_id, plan.generations.size());
  for (const auto& [row_id, failure] : log.failures()) check("row_id", row_id, plan.generations.size());
  for (const auto& [row_id, pace] : log.paces()) check("row_id", row_id, plan.generations.size());
  for (const auto& [pilot, rounds] : log.pilots()) check("pilot", static_cast<std::int64_t>(pilot), plan.pilots.size());
  for (const auto& [cell, entry] : log.atlas()) check("atlas of cell", static_cast<std::int64_t>(cell), plan.cells.size());
  for (const auto& [key, entry] : log.acceptances()) {
    check("acceptance of cell", static_cast<std::int64_t>(key.first), plan.cells.size());
    check("acceptance of prompt", static_cast<std::int64_t>(key.second), plan.prompts.size());
  }
  for (const PredictionEntry& prediction : log.predictions()) check("prediction of cell", static_cast<std::int64_t>(prediction.cell), plan.cells.size());
}

/// Folders of shards with a journal, by number.
std::vector<std::string> shards_with_journal(const std::string& folder) {
  std::vector<std::pair<int, std::string>> numbered;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/shards", none)) {
    const std::string name = entry.path().filename().string();
    const bool is_number = !name.empty() && name.size() < 9 && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && has_journal(entry.path().string())) numbered.emplace_back(std::stoi(name), entry.path().string());
  }
  std::ranges::sort(numbered);
  std::vector<std::string> folders;
  for (const auto& [number, path] : numbered) folders.push_back(path);
  return folders;
}

}  // namespace

RunJournals::RunJournals(const Plan& plan, JournalAccess access) : plan_(plan), access_(std::move(access)) {
  if (has_journal(access_.folder)) log_.emplace(open(access_.folder));
  if (has_header()) {
    check_same_config(plan_, *log_->header(), access_.folder);
    check_ids(plan_, *log_, access_.folder);
    take_shards();
  } else {
    refuse_results_without_journal(access_.folder);
  }
  if (access_.repair) return;
  analysis::check_unchanged(access_.folder);
  check_nothing_lost();
}

/// Tables are made from journals: what they hold beyond them was lost there, and would be lost here too.
void RunJournals::check_nothing_lost() const {
  const std::string path = access_.folder + "/rows.csv";
  std::error_code none;
  if (!has_header() || !std::filesystem::exists(path, none)) return;
  const std::string table = read_file(path);
  const auto in_table = static_cast<std::size_t>(std::ranges::count(table, '\n')) - std::size_t{!table.empty()};
  if (in_table > log_->rows().size())
    throw DataError(fmt::format("{}: has {} generations, the journals hold {}: put the missing lines or shards back from a copy, or measure them anew with --repair", path, in_table, log_->rows().size()));
}

std::unique_ptr<RunLock> RunJournals::lock(const std::string& folder) const {
  const bool waits = access_.lock == JournalAccess::Lock::waits_a_moment || folder != access_.folder;
  return waits ? lock_soon(folder, access_.network_folder) : std::make_unique<RunLock>(folder, access_.network_folder);
}

RunLog RunJournals::open(const std::string& folder) {
  locks_.push_back(lock(folder));
  if (access_.repair) {
    const JournalRepair repair = Journal::repair(folder);
    if (!repair.original.empty())
      access_.note(fmt::format("{} of {} lines of {}/journal were damaged; what they held is measured anew, the damaged file is {}", repair.num_lost,
                               repair.num_kept + repair.num_lost, folder, repair.original));
  }
  RunLog log(folder);
  if (log.num_bytes_cut() > 0) access_.note(fmt::format("{}/journal: an unfinished last line of {} bytes was cut off; its generation is repeated", folder, log.num_bytes_cut()));
  return log;
}

void RunJournals::take_shards() {
  for (const std::string& shard : shards_with_journal(access_.folder)) {
    const RunLog part = open(shard);
    if (!part.header()) continue;
    check_same_origin(*log_->header(), *part.header(), shard);
    check_ids(plan_, part, shard);
    log_->include(part);
  }
}

bool RunJournals::is_whole() const {
  return experiment_kind(plan_.config.kind).yield != Yield::generations || open_generations(plan_, *log_).empty();
}

bool RunJournals::is_complete() const {
  return has_header() && log_->finished() && is_whole() && has_run_files(*log_, access_.folder) && analysis::changed_files(access_.folder).empty();
}

RunLog& RunJournals::open_for_writing() {
  make_folder(access_.folder);
  if (locks_.empty()) locks_.push_back(lock(access_.folder));
  if (!log_) log_.emplace(access_.folder);
  return *log_;
}

void RunJournals::end_if_whole() {
  if (log_->finished() || !is_whole()) return;
  log_->secure();
  log_->add_end();
}

std::string shard_folder(const std::string& run_folder, int shard) { return fmt::format("{}/shards/{}", run_folder, shard); }

std::unique_ptr<RunLock> lock_soon(const std::string& folder, NetworkFolder network) {
  for (const auto begin = std::chrono::steady_clock::now();;) {
    try {
      return std::make_unique<RunLock>(folder, network);
    } catch (const LockedError&) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500)) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace speclab::experiments
