#include "engines/models/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sim/core/errors.h"

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

/// Nothing for "max", which is no limit. @source cgroup v2, memory.max
std::optional<std::int64_t> group_limit(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  if (file >> bytes && bytes > 0) return bytes;
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> available_memory(const std::string& root) {
  const auto available = memory_field(root + "/proc/meminfo", "MemAvailable:"),
             swap = memory_field(root + "/proc/meminfo", "SwapFree:"),
             limit = group_limit(root + "/sys/fs/cgroup/memory.max");
  if (!available) return limit;
  const std::int64_t all = *available + swap.value_or(0);
  return limit ? std::min(all, *limit) : all;
}

void require_memory(const std::string& model, std::int64_t num_parameters, const std::string& dtype,
                    std::optional<std::int64_t> available) {
  const double bytes_each = dtype == "float32" ? 4.0 : 2.0;
  const double needed = bytes_each * static_cast<double>(num_parameters);
  if (!available || needed <= static_cast<double>(*available)) return;
  throw OutOfMemoryError(fmt::format(
      "model '{}': its weights need {:.1f} GB in {}; {:.1f} GB of memory are available; use a "
      "smaller model{}, or a machine with more memory",
      escaped(model), needed / 1e9, dtype, static_cast<double>(*available) / 1e9,
      dtype == "float32" ? " or --dtype bfloat16" : ""));
}

}  // namespace speclab::engines
