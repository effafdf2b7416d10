#include "experiments/drivers/levers/loaded_levers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kRequestBytes = 4 << 20;
/// Buffers of streamed weights have such pages too: few of them make a request.
constexpr std::size_t kHugePage = 2 << 20;

[[noreturn]] void fail(const std::string& path) {
  throw DataError("cannot read '" + escaped(path, 200) + "': " + std::strerror(errno) +
                  "; check the file and its permissions");
}

/// A descriptor that is closed with its owner.
struct OpenFile {
  explicit OpenFile(const std::string& path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {
    // A file system without direct reads gives those of its cache.
    if (descriptor < 0 && errno == EINVAL) descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path);
  }
  ~OpenFile() { ::close(descriptor); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor;
};

using Buffer = std::unique_ptr<void, decltype(&std::free)>;

Buffer make_buffer() {
  Buffer buffer(std::aligned_alloc(kHugePage, kRequestBytes), &std::free);
  if (!buffer) throw std::bad_alloc();
  madvise(buffer.get(), kRequestBytes, MADV_HUGEPAGE);
  std::memset(buffer.get(), 1, kRequestBytes);
  return buffer;
}

/// Bytes per second at which a file is read past the page cache, one request after the other.
/// @param bytes  from the start of the file, or all if it is shorter
/// @throws DataError if the file cannot be read
double direct_read_rate(const std::string& path, std::int64_t bytes) {
  const OpenFile file(path);
  const Buffer buffer = make_buffer();
  std::int64_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  while (done < bytes) {
    const ssize_t count = ::pread(file.descriptor, buffer.get(), kRequestBytes, done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    done += count;
    if (count < static_cast<ssize_t>(kRequestBytes)) break;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(done) / seconds.count();
}

constexpr std::int64_t kProbedBytes = std::int64_t{256} << 20;
constexpr int kProbes = 3;
/// A streamed model keeps a fifth of its weights, of which four bits take some two thirds of a
/// byte.
constexpr double kResidentBytesPerParameter = 2.0 / 3.0 / 5.0;

std::string path_of(const engines::Engines& engines, const std::string& model) {
  for (const engines::KnownModel& known : engines.known_models()) {
    if (known.name != model) continue;
    if (known.fetched_by.empty()) return known.path;
    throw ConfigError(fmt::format("model '{}' is not here (run {})", model, known.fetched_by));
  }
  throw ConfigError(fmt::format("model '{}' is not in the catalogue", escaped(model)));
}

engines::ModelOptions options_of(const std::string& model, const Lever& lever,
                                 std::int64_t num_parameters) {
  engines::ModelOptions options{.model = model};
  options.dtype = lever.dtype;
  options.activations = lever.activations;
  if (!lever.streams) return options;
  options.weights = "streamed";
  options.resident_bytes =
      static_cast<std::int64_t>(static_cast<double>(num_parameters) * kResidentBytesPerParameter);
  return options;
}

}  // namespace

std::span<const Lever> levers() {
  static constexpr Lever kLevers[] = {{"bfloat16", "bfloat16", "exact", false, true},
                                      {"int8", "q8", "int8", false, true},
                                      {"4-bit", "file", "int8", false, true},
                                      {"4-bit exact", "file", "exact", false, false},
                                      {"streamed", "file", "exact", true, true}};
  return kLevers;
}

LoadedLevers load_levers(engines::Engines& engines, const std::string& model, const SayLine& say) {
  LoadedLevers levers_of_model{model, path_of(engines, model), {}};
  std::vector<LoadedLever>& each = levers_of_model.each;
  for (const Lever& lever : levers()) {
    say(fmt::format("{}: loads {}", model, lever.name));
    const std::int64_t parameters =
        each.empty() ? 0 : each.front().loaded.model->info().num_parameters;
    each.push_back({&lever, engines.load_model(options_of(model, lever, parameters)), {}});
  }
  return levers_of_model;
}

double source_rate(engines::Engines& engines, const Lever& lever, const std::string& path) {
  return lever.streams ? direct_read_rate(path, kProbedBytes)
                       : engines.measure_read_bandwidth(kProbedBytes, kProbes);
}

}  // namespace speclab::experiments
