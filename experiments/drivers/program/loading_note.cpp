#include "experiments/drivers/program/loading_note.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "sim/system/errors.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

/// The name that all parts of a split model share; a name that is no part's stays.
/// @source llama.cpp, llama_split_path: "NAME-00001-of-00003.gguf"
std::string shared_name(const std::string& name) {
  constexpr std::string_view kEnding = "-00001-of-00003.gguf";
  if (name.size() <= kEnding.size() || !name.ends_with(".gguf")) return name;
  const std::size_t begin = name.size() - kEnding.size();
  return name.compare(begin + 6, 4, "-of-") == 0 ? name.substr(0, begin) : name;
}

bool is_file_of_model(const std::filesystem::path& file, const std::filesystem::path& model) {
  std::error_code none;
  const bool has_folder = std::filesystem::is_directory(model, none);
  const std::filesystem::path folder =
      has_folder ? model : std::filesystem::absolute(model, none).parent_path();
  const auto belongs = [&](const std::filesystem::path& path) {
    if (has_folder) return path.extension() != ".npy";
    return shared_name(path.filename()) == shared_name(model.filename());
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (belongs(entry.path()) && std::filesystem::equivalent(entry.path(), file, none)) return true;
  return false;
}

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

int num_processors() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::string threads_warning(std::int32_t threads, int processors) {
  if (threads <= processors) return "";
  return fmt::format(
      "warning: {} threads for {} processors: they wait for each other; give at most {}, or 0 for "
      "all",
      threads, processors, processors);
}

void warn_of_threads(std::int32_t threads) {
  if (const std::string warning = threads_warning(threads, num_processors()); !warning.empty())
    fmt::print(stderr, "speclab: {}\n", warning);
}

std::filesystem::path path_of_model(const engines::Engines& engines, const std::string& model) {
  for (const engines::KnownModel& known : engines.known_models())
    if (known.name == model) return known.path;
  return newest_version(model);
}

void refuse_file_of_model(const engines::Engines& engines, const std::string& option,
                          const std::string& file, const std::string& model) {
  const std::filesystem::path path = path_of_model(engines, model);
  if (!path.empty() && is_file_of_model(file, path))
    throw ConfigError(fmt::format("{} {}: a file of the model {}; choose another name", option,
                                  escaped(file, 200), escaped(model, 200)));
}

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

std::string int8_note(const engines::ModelInfo& model) {
  constexpr double kWorthSaying = 1.1;
  if (model.speedup_of_int8 < kWorthSaying) return "";
  return fmt::format(
      "note: with --activations int8 the products of one row are {:.1f} times as fast here "
      "(kernels "
      "{}); the law moves a little, and 'speclab verify --activations int8 --against bfloat16' "
      "measures how far",
      model.speedup_of_int8, model.kernels);
}

void note_int8(const engines::ModelInfo& model) {
  if (const std::string note = int8_note(model); !note.empty())
    fmt::print(stderr, "speclab: {}\n", note);
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
