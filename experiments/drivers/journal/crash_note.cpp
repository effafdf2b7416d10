#include "experiments/drivers/journal/crash_note.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "experiments/drivers/journal/failures.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

std::string crash_file(const std::string& folder) { return folder + "/crashed"; }

// A signal handler has nothing else to read from.
const WorkKeys* volatile g_keys = nullptr;
const char* volatile g_path = nullptr;
volatile long g_row = -1;
struct sigaction* volatile g_old = nullptr;

// Of the handler: a stack that has run over has no place for it.
alignas(16) std::array<char, 1 << 16> g_stack;

/// What is called here may be called in a signal handler; keys and path are only read.
void leave_note(int signal) {
  if (const long row = g_row; row >= 0) {
    const std::string& key = g_keys->of_row(static_cast<std::size_t>(row));
    const std::array<char, 4> number = {' ', static_cast<char>('0' + signal / 10),
                                        static_cast<char>('0' + signal % 10), '\n'};
    const int file = ::open(g_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    const bool is_written = ::write(file, key.data(), key.size()) >= 0 &&
                            ::write(file, number.data(), number.size()) >= 0;
    if (is_written) ::close(file);
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i)
    if (kCrashes[i] == signal) ::sigaction(signal, &g_old[i], nullptr);
  ::raise(signal);
}

}  // namespace

static_assert(std::tuple_size_v<decltype(kCrashes)> == 5, "as many as CrashNote keeps");

CrashNote::CrashNote(const Plan& plan, const std::string& folder)
    : keys_(plan),
      path_(std::filesystem::absolute(crash_file(folder)).string()),
      old_{},
      old_stack_{} {
  g_keys = &keys_;
  g_path = path_.c_str();
  g_row = -1;
  g_old = old_.data();
  struct sigaction action{};
  action.sa_handler = leave_note;
  action.sa_flags = SA_ONSTACK;
  const stack_t stack{.ss_sp = g_stack.data(), .ss_flags = 0, .ss_size = g_stack.size()};
  ::sigaltstack(&stack, &old_stack_);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &action, &old_[i]);
}

CrashNote::~CrashNote() {
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &old_[i], nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

RowInHand::RowInHand(std::size_t row) { g_row = static_cast<long>(row); }
RowInHand::~RowInHand() { g_row = -1; }

void take_crash_note(const Plan& plan, const std::string& folder, RunLog& log, Progress& progress) {
  const std::string path = crash_file(folder);
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return;
  std::istringstream note(read_file(path));
  std::string key;
  int signal = 0;
  note >> key >> signal;
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error)
    throw WriteError(fmt::format("{}: cannot remove: {}; choose a folder you may write to", path,
                                 error.message()));
  const auto row = WorkKeys(plan).row_of(key);
  if (!row || log.rows().contains(static_cast<std::int64_t>(*row))) return;
  const std::string message =
      fmt::format("its process ended by signal {} ({})", signal, strsignal(signal));
  log.add(FailureEntry{static_cast<std::int64_t>(*row), FailureStatus::crash, message,
                       attempts_of(log, *row) + 1});
  progress.note(fmt::format("generation {} of {} failed ({}), {}", *row,
                            plan.cells[plan.generations[*row].cell].id,
                            to_string(FailureStatus::crash), message));
}

}  // namespace speclab::experiments
