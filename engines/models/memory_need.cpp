#include "engines/models/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// A field of /proc/meminfo, in bytes. @source proc(5): "kB" are 1024 bytes
std::optional<std::int64_t> memory_field(const std::string& path, const std::string& field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == field) return kibibytes * 1024;
  }
  return std::nullopt;
}

/// Nothing for "max", which is no limit, and for a file that is not there.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  if (file >> bytes && bytes >= 0) return bytes;
  return std::nullopt;
}

/// A field of memory.stat, in bytes.
std::int64_t group_field(const std::string& path, const std::string& field) {
  std::ifstream file(path);
  std::string name;
  for (std::int64_t bytes = 0; file >> name >> bytes;)
    if (name == field) return bytes;
  return 0;
}

/// Bytes that the control group may still take. Pages of files count as used there, but the kernel
/// gives them up when memory runs short. @source cgroup v2, memory.max, memory.current, memory.stat
std::optional<std::int64_t> left_in_group(const std::string& folder) {
  const auto limit = number_in(folder + "/memory.max");
  if (!limit) return std::nullopt;
  const std::int64_t files = group_field(folder + "/memory.stat", "inactive_file") +
                             group_field(folder + "/memory.stat", "active_file");
  const std::int64_t used = number_in(folder + "/memory.current").value_or(0) - files;
  return std::max<std::int64_t>(*limit - std::max<std::int64_t>(used, 0), 0);
}

}  // namespace

std::optional<std::int64_t> available_memory(const std::string& root) {
  const auto available = memory_field(root + "/proc/meminfo", "MemAvailable:"),
             swap = memory_field(root + "/proc/meminfo", "SwapFree:"),
             left = left_in_group(root + "/sys/fs/cgroup");
  if (!available) return left;
  const std::int64_t all = *available + swap.value_or(0);
  return left ? std::min(all, *left) : all;
}

void require_memory(const std::string& model, std::int64_t needed_bytes, const std::string& dtype,
                    std::optional<std::int64_t> available) {
  if (!available || needed_bytes <= *available) return;
  throw OutOfMemoryError(fmt::format(
      "model '{}': to load its weights needs {:.1f} GB in {}; {:.1f} GB of memory are available; "
      "use a smaller model{}, or a machine with more memory",
      escaped(model), static_cast<double>(needed_bytes) / 1e9, dtype,
      static_cast<double>(*available) / 1e9, dtype == "float32" ? " or --dtype bfloat16" : ""));
}

}  // namespace speclab::engines
