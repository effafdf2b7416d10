#include "experiments/drivers/generate/result_json.h"

#include <nlohmann/json.hpp>

namespace speclab::experiments {
namespace {

/// Kind and weight of each.
nlohmann::ordered_json parts_json(const engines::DrafterOptions& drafter) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const engines::DrafterOptions& part : drafter.parts)
    parts.push_back({{"drafter", part.kind}, {"weight", part.weight}});
  return parts;
}

}  // namespace

nlohmann::ordered_json settings_json(const GenerateOptions& options,
                                     const engines::ModelInfo& model) {
  const engines::SamplingOptions& sampling = options.decoder.sampling;
  nlohmann::ordered_json settings{{"model", options.common.model.model},
                                  {"model_name", model.name},
                                  {"model_sha256", model.sha256},
                                  {"dtype", model.dtype},
                                  {"device", model.device},
                                  {"kernels", model.kernels},
                                  {"arithmetic", options.common.model.arithmetic},
                                  {"rounds", options.common.model.rounds},
                                  {"drafter", options.decoder.drafter.kind},
                                  {"drafter_model", options.decoder.drafter.model},
                                  {"drafter_bridge", options.decoder.drafter.bridge},
                                  {"drafter_parts", parts_json(options.decoder.drafter)},
                                  {"tree", options.decoder.drafter.tree},
                                  {"policy", options.policy},
                                  {"verifier", options.decoder.verifier},
                                  {"lossless", engines::is_lossless(options.decoder)},
                                  {"temperature", sampling.temperature},
                                  {"seed", options.common.seed},
                                  {"max_new_tokens", options.decoder.stop.max_new_tokens},
                                  {"ignore_eos", options.decoder.stop.ignore_eos},
                                  {"stop", options.decoder.stop.stop_strings},
                                  {"threads", options.common.model.threads}};
  engines::visit_sampling(sampling,
                          [&](const char* name, const auto& value) { settings[name] = value; });
  return settings;
}

}  // namespace speclab::experiments
