// Measures what the CUDA device can do and how near the engine comes. Rows are written as they are
// measured. Usage: gpu_bench OUTPUT.csv STEP... [--shapes NAME,...] [--tiny]
// [--seconds S] Steps: probe (does the
// device answer), ceilings, products, ladder (variants of the product), passes (whole ones, in
// several forms), kernels (each one's share of a pass), host_layers
// (passes whose layers come from host memory), profile (what a profiler looks at),
// predictions (no device needed: the time model of predicted_times.h).

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string>
#include <vector>

#include "engines/families/catalogue.h"
#include "experiments/bench/gpu/gpu_bench.h"
#include "experiments/bench/gpu/predicted_times.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// The smallest model that has everything: grouped queries, an odd vocabulary.
CatalogueEntry tiny_shape() {
  DecoderShape config;
  config.name = "tiny";
  config.vocab_size = 131;
  config.context_length = 256;
  config.num_layers = 2;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  return {"tiny", "", config, ""};
}

/// Shapes of the catalogue that a comma-separated list names, all where it is empty.
std::vector<CatalogueEntry> chosen_shapes(const std::string& names, const Sizes& sizes) {
  if (sizes.is_tiny) return {tiny_shape()};
  std::vector<CatalogueEntry> shapes;
  for (CatalogueEntry& entry : model_catalogue())
    if (entry.shape && !beyond_llama(*entry.shape) &&
        (names.empty() || ("," + names + ",").find("," + entry.name + ",") != std::string::npos))
      shapes.push_back(entry);
  const auto wanted =
      names.empty() ? shapes.size() : static_cast<std::size_t>(std::ranges::count(names, ',')) + 1;
  if (shapes.size() != wanted)
    throw ConfigError("--shapes '" + escaped(names) +
                      "'; allowed: names of speclab models that begin with shape- and have Llama's "
                      "layers, each once, "
                      "parted by commas");
  return shapes;
}

struct Step {
  const char* name;
  void (*run)(Bench& bench, const std::vector<CatalogueEntry>& shapes);
};
constexpr Step kSteps[] = {
    {"probe",
     [](Bench& bench, const std::vector<CatalogueEntry>&) { measure_launch_and_poll(bench); }},
    {"ceilings", [](Bench& bench, const std::vector<CatalogueEntry>&) { measure_ceilings(bench); }},
    {"products", measure_products},
    {"ladder", measure_ladder},
    {"passes",
     [](Bench& bench, const std::vector<CatalogueEntry>& shapes) {
       measure_passes(bench, shapes, read_bandwidth(bench));
     }},
    {"kernels", measure_kernels},
    {"host_layers", measure_passes_from_host},
    {"profile", launch_profiled_kernels}};
constexpr const char* kPredictions = "predictions";

std::string allowed_steps() {
  std::string names;
  for (const Step& step : kSteps) names += std::string(step.name) + ", ";
  return names + kPredictions;
}

double whole_seconds(const std::string& text) {
  if (text.empty() || text.size() > 6 ||
      !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    throw ConfigError("--seconds '" + escaped(text) + "'; allowed: 0 to 999999");
  return std::stod(text);
}

void run(const std::vector<std::string>& arguments) {
  if (arguments[0].empty() || arguments[0].front() == '-')
    throw ConfigError("OUTPUT '" + escaped(arguments[0]) +
                      "'; allowed: a file's name that does not begin with -");
  Sizes sizes;
  std::string names;
  std::vector<Step> steps;
  bool predicts = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto step =
        std::ranges::find_if(kSteps, [&](const Step& one) { return arguments[i] == one.name; });
    if (step != std::end(kSteps))
      steps.push_back(*step);
    else if (arguments[i] == kPredictions)
      predicts = true;
    else if (arguments[i] == "--tiny")
      sizes.is_tiny = true;
    else if (arguments[i] == "--seconds" && i + 1 < arguments.size())
      sizes.seconds = whole_seconds(arguments[++i]);
    else if (arguments[i] == "--shapes" && i + 1 < arguments.size())
      names = arguments[++i];
    else
      throw ConfigError("'" + escaped(arguments[i]) + "'; allowed: " + allowed_steps() +
                        ", --shapes NAME,..., --seconds S, --tiny");
  }
  if (steps.empty() && !predicts) throw ConfigError("no step; allowed: " + allowed_steps());
  const std::vector<CatalogueEntry> shapes = chosen_shapes(names, sizes);
  if (predicts) predict(arguments[0], shapes, sizes);
  if (steps.empty()) return;
  Bench bench(arguments[0], sizes);
  for (const Step& step : steps) step.run(bench, shapes);
}

}  // namespace
}  // namespace speclab::engines::cuda

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fputs(
               "usage: gpu_bench OUTPUT.csv STEP... [--shapes NAME,...] "
               "[--seconds S] [--tiny]\n",
               stderr),
           2;
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a full disk is an error with a name
    speclab::engines::cuda::run({argv + 1, argv + argc});
  } catch (const speclab::Error& error) {
    return std::fprintf(stderr, "gpu_bench: %s\n", error.what()), static_cast<int>(error.code());
  }
  return 0;
}
