#include "experiments/drivers/program/loading_note.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "experiments/drivers/program/model_files.h"
#include "experiments/drivers/program/threads.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;

/// Bytes of a file, or of the files in a folder, links followed; 0 where nothing can be read.
std::uintmax_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uintmax_t sum = 0;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::uintmax_t size = at->is_regular_file(error) ? at->file_size(error) : 0;
    if (!error) sum += size;
    error.clear();
  }
  return sum;
}

}  // namespace

LateNote::LateNote(std::chrono::milliseconds delay, std::function<void()> say)
    : thread_([this, delay, say = std::move(say)] {
        std::unique_lock lock(mutex_);
        if (!ends_.wait_for(lock, delay, [this] { return has_ended_; })) say();
      }) {}

LateNote::~LateNote() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

std::string loading_line(const std::string& name, const std::string& path) {
  const std::uintmax_t bytes = path.empty() ? 0 : size_of(path);
  return fmt::format("loading {}{} ...", escaped(name, 200),
                     bytes > 0 ? fmt::format(", {:.1f} GB", static_cast<double>(bytes) / 1e9) : "");
}

engines::LoadedModel load_with_note(engines::Engines& engines,
                                    const engines::ModelOptions& options) {
  constexpr std::chrono::milliseconds kPatience{1000};
  warn_of_threads(options.threads);
  std::optional<LateNote> note;
  if (isatty(STDERR_FILENO))
    note.emplace(kPatience, [line = loading_line(options.model,
                                                 path_of_model(engines, options.model).string())] {
      std::fputs((line + "\n").c_str(), stderr);
    });
  return engines.load_model(options);
}

}  // namespace speclab::experiments
