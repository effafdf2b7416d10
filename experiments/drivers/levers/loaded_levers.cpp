#include "experiments/drivers/levers/loaded_levers.h"

#include <fmt/format.h>

#include "experiments/drivers/levers/disk_rate.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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
