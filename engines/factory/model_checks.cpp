#include "engines/factory/model_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check_named(const char* option, const std::string& value,
                 const std::vector<std::string>& allowed) {
  if (!is_among(value, allowed))
    throw ConfigError(
        fmt::format("{} '{}'; allowed: {}", option, escaped(value), fmt::join(allowed, ", ")));
}

/// Options that contradict each other, whatever the model.
void check_numbers(const ModelOptions& options) {
  const bool is_expanded = options.dtype == "float32" || options.dtype == "bfloat16";
  if (is_inexact(options) && is_expanded)
    throw ConfigError(fmt::format(
        "activations '{}' with dtype '{}', which expands all weights; allowed: dtype file or q8",
        options.activations, options.dtype));
  if (options.cache_dtype == "bfloat16" && !is_inexact(options))
    throw ConfigError(
        "cache_dtype 'bfloat16' with activations 'exact', which keep the numbers of a float32 "
        "cache; allowed: auto, float32, or activations int8 or bfloat16");
}

void check_streaming(const ModelOptions& options) {
  check_named("weights", options.weights, {"resident", "streamed"});
  if (!is_streamed(options) && options.resident_bytes != 0)
    throw ConfigError(fmt::format(
        "resident_bytes = {} with weights 'resident', which all stay in memory; allowed: weights "
        "streamed, or no resident_bytes",
        options.resident_bytes));
  if (!is_streamed(options)) return;
  if (options.resident_bytes <= 0)
    throw ConfigError(fmt::format(
        "resident_bytes = {} with weights 'streamed'; allowed: bytes of memory, 1 or more",
        options.resident_bytes));
  if (options.dtype == "q8")
    throw ConfigError(
        "dtype 'q8' with weights 'streamed', which are read as the file has them; allowed: dtype "
        "auto, file, bfloat16 or float32");
}

}  // namespace

bool is_inexact(const ModelOptions& options) { return options.activations != "exact"; }

bool is_streamed(const ModelOptions& options) { return options.weights == "streamed"; }

bool needs_cpu_kernels(const ModelOptions& options) {
  return is_inexact(options) || options.dtype == "file" || options.dtype == "q8";
}

void check_model_options(const ModelOptions& options) {
  check_named("device", options.device, {"auto", "cpu", "cuda"});
  check_named("dtype", options.dtype, {"auto", "file", "q8", "float32", "bfloat16"});
  check_named("activations", options.activations, {"exact", "int8", "bfloat16"});
  check_named("cache_dtype", options.cache_dtype, {"auto", "float32", "bfloat16"});
  check_numbers(options);
  check_streaming(options);
  if (options.kernels == "reference" && (needs_cpu_kernels(options) || is_streamed(options)))
    throw ConfigError(fmt::format(
        "kernels 'reference' with dtype '{}', activations '{}', weights '{}'; allowed: dtype auto, "
        "float32 or bfloat16 with exact activations and resident weights",
        options.dtype, options.activations, options.weights));
  check_named("kernels", options.kernels, {"auto", "reference"});
  check_named("rounds", options.rounds, {"host", "device"});
  if (options.threads < 0 || options.threads > 4096)
    throw ConfigError(fmt::format("threads = {}; allowed: 0 (all) to 4096", options.threads));
}

}  // namespace speclab::engines
