#include "experiments/drivers/run/run_journals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/file_digests.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/run/run_files.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

bool has_journal(const std::string& folder) {
  std::error_code error;
  const bool there = std::filesystem::exists(folder + "/journal", error);
  if (error)
    throw WriteError(
        fmt::format("{}: {}; choose another --output", escaped(folder, 200), error.message()));
  return there;
}

/// Results without their journal cannot be resumed, and to write beside them would mix two runs.
void refuse_results_without_journal(const std::string& folder) {
  for (const std::string& file : run_file_names())
    if (std::filesystem::exists(fmt::format("{}/{}", folder, file)))
      throw DataError(fmt::format(
          "{}/{} is there without a journal to resume from; give another --output, or move it away",
          folder, file));
}

/// A drafter that has moved is no change.
RunConfig with_known_drafters(RunConfig config) {
  config.drafters = with_names_for_paths(config).drafters;
  return config;
}

/// Folders of shards with a journal, by number.
std::vector<std::string> shards_with_journal(const std::string& folder) {
  std::vector<std::pair<int, std::string>> numbered;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/shards", none)) {
    const std::string name = entry.path().filename().string();
    const bool is_number = !name.empty() && name.size() < 9 &&
                           std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && has_journal(entry.path().string()))
      numbered.emplace_back(std::stoi(name), entry.path().string());
  }
  std::ranges::sort(numbered);
  std::vector<std::string> folders;
  for (const auto& [number, path] : numbered) folders.push_back(path);
  return folders;
}

std::size_t num_rows(const std::string& csv) {
  const std::size_t records = analysis::num_csv_records(csv);
  return records - std::size_t{records > 0};  // the header is none
}

/// @param held  counts the rows that the journals make @param what  a row of the table is
void expect_held(const std::string& table, const std::function<std::size_t()>& held,
                 std::string_view what) {
  std::error_code none;
  if (!std::filesystem::exists(table, none)) return;
  const std::size_t in_table = num_rows(read_file(table)), in_journals = held();
  if (in_table > in_journals)
    throw DataError(
        fmt::format("{}: has {} {}, the journals hold {}: put the missing lines or shards back "
                    "from a copy, or measure them anew with --repair",
                    table, in_table, what, in_journals));
}

}  // namespace

RunJournals::RunJournals(const Plan& plan, JournalAccess access)
    : plan_(plan), access_(std::move(access)) {
  if (has_journal(access_.folder)) log_ = open(access_.folder);
  if (log_.sections().empty()) {
    refuse_results_without_journal(access_.folder);
  } else {
    check_edit();
    take_shards();
  }
  log_.look_at(plan_);
  log_.set_retries_failed(access_.retry_failed);
  if (access_.repair || !is_locked()) return;
  analysis::check_unchanged(access_.folder);
  check_nothing_lost();
}

/// The config is known before anything is loaded. Only generations have keys of their own, by which
/// they are found in another plan.
void RunJournals::check_edit() const {
  if (log_.sections().empty() || log_.section_of(plan_) > 0) return;
  const bool has_choices = experiment_kind(plan_.config.kind).yield == Yield::generations;
  const auto is_refused = [&](const std::string& key) {
    const KeyRole role = role_of(key);
    return role == KeyRole::setting || (role == KeyRole::choice && !has_choices) ||
           (role == KeyRole::origin && !access_.allow_mixed);
  };
  const std::string changes =
      config_changes(log_.sections().rbegin()->second.header.config,
                     to_toml(with_known_drafters(plan_.config)), is_refused);
  if (!changes.empty()) throw_drift(changes, access_.folder);
}

const HeaderEntry* RunJournals::last_header() const {
  if (log_.sections().empty()) return nullptr;
  return log_.section() > 0 ? &*log_.header() : &log_.sections().rbegin()->second.header;
}

/// Only generations are taken over by the section of an edited config.
void RunJournals::check_nothing_lost() const {
  if (log().sections().empty()) return;
  expect_held(
      access_.folder + "/rows.csv", [this] { return log_.rows().size() + log_.num_rows_aside(); },
      "generations");
  const ExperimentKind& kind = experiment_kind(plan_.config.kind);
  if (log().sections().size() > 1 || !kind.looks_at_drafts()) return;
  const KindSteps& steps = kind_steps(kind.name);
  expect_held(
      access_.folder + "/" + kind.table,
      [&] { return num_rows(steps.tables(plan_, log_).front().second); }, steps.row);
}

std::unique_ptr<RunLock> RunJournals::lock(const std::string& folder) const {
  if (access_.lock == JournalAccess::Lock::waits_a_moment || folder != access_.folder)
    return lock_soon(folder, access_.network_folder);
  return std::make_unique<RunLock>(folder, access_.network_folder);
}

RunLog RunJournals::open(const std::string& folder) {
  if (is_locked()) locks_.push_back(lock(folder));
  if (access_.repair) {
    const JournalRepair repair = Journal::repair(folder);
    if (!repair.original.empty())
      access_.note(
          fmt::format("{} of {} lines of {}/journal were damaged; what they held is measured anew, "
                      "the damaged file is {}",
                      repair.num_lost, repair.num_kept + repair.num_lost, folder, repair.original));
  }
  RunLog log(folder, is_locked() ? Journal::Tail::cut_off : Journal::Tail::left);
  if (log.num_bytes_cut() > 0)
    access_.note(fmt::format(
        "{}/journal: an unfinished last line of {} bytes was cut off; its generation is repeated",
        folder, log.num_bytes_cut()));
  if (log.num_orphans() > 0)
    access_.note(
        fmt::format("{}/journal: {} entries stand without the header of their section, which was "
                    "damaged; what they held is measured anew",
                    folder, log.num_orphans()));
  return log;
}

/// A section whose header the run's journal has lost is not known by what stands in shards.
void RunJournals::take_shards() {
  for (const std::string& shard : shards_with_journal(access_.folder)) {
    RunLog part = open(shard);
    std::vector<int> unknown;
    for (const auto& [number, section] : part.sections())
      if (const auto own = log_.sections().find(number); own == log_.sections().end())
        unknown.push_back(number);
      else
        check_same_header(own->second.header, section.header, shard);
    for (const int number : unknown) {
      access_.note(fmt::format(
          "{}/journal: section {} is not in the journal of the run; what it holds is measured anew",
          shard, number));
      part.leave_out(number);
    }
    log_.include(part);
  }
}

bool RunJournals::is_whole() const {
  return experiment_kind(plan_.config.kind).yield != Yield::generations ||
         open_generations(plan_, log_).empty();
}

bool RunJournals::is_complete() const {
  return is_measured() && has_run_files(plan_, log_, access_.folder) &&
         analysis::changed_files(access_.folder).empty();
}

RunLog& RunJournals::open_for_writing() {
  make_folder(access_.folder);
  if (locks_.empty()) {
    locks_.push_back(lock(access_.folder));
    log_ = RunLog(access_.folder);  // another process may have begun the run since
    check_edit();
    log_.look_at(plan_);
  }
  return log_;
}

void RunJournals::end_if_whole() {
  log_.set_retries_failed(false);
  if (log_.finished() || !is_whole()) return;
  log_.secure();
  log_.add_end();
}

std::string shard_folder(const std::string& run_folder, int shard) {
  return fmt::format("{}/shards/{}", run_folder, shard);
}

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
