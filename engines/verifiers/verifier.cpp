#include "engines/verifiers/verifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check_settings(const DecoderOptions& options) {
  const auto check = [](bool valid, const char* name, double value, const char* allowed) {
    if (!valid) throw ConfigError(fmt::format("{} = {}; allowed: {}", name, value, allowed));
  };
  check(options.lossy.lenience > 0 && options.lossy.lenience <= 1, "lenience",
        options.lossy.lenience, "numbers in (0, 1]");
  check(options.lossy.typical_epsilon >= 0 && options.lossy.typical_epsilon <= 1, "typical_epsilon",
        options.lossy.typical_epsilon, "numbers in [0, 1]");
  check(options.lossy.typical_delta >= 0 && options.lossy.typical_delta <= 1, "typical_delta",
        options.lossy.typical_delta, "numbers in [0, 1]");
}

}  // namespace

std::unique_ptr<Verifier> make_verifier(const DecoderOptions& options) {
  const std::string& kind = options.verifier;
  if (!is_among(kind, kVerifierKinds))
    throw ConfigError(fmt::format("verifier '{}'; allowed: {}", escaped(kind),
                                  fmt::join(kUserVerifierKinds, ", ")));
  if (kind == "observe") return make_observe_verifier(options);
  if (kind == "replay") return make_replay_verifier(options.replay);
  if (kind == "greedy" && options.sampling.temperature != 0)
    throw ConfigError(fmt::format(
        "verifier 'greedy' with temperature = {}; allowed: temperature 0; use verifier 'rejection'",
        options.sampling.temperature));
  if (!verifier_traits(kind).takes_trees && options.drafter.tree != "chain")
    throw ConfigError(
        fmt::format("verifier '{}' with tree '{}'; allowed: chain; use another verifier for trees",
                    kind, escaped(options.drafter.tree)));
  check_settings(options);
  if (kind == "greedy") return make_greedy_verifier();
  return make_random_verifier(options);
}

}  // namespace speclab::engines
