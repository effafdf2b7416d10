#include "engines/verifiers/verifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/names.h"
#include "sim/core/errors.h"

namespace speclab::engines {

std::vector<std::string> verifier_kinds() { return {kVerifierKinds.begin(), kVerifierKinds.end()}; }

std::unique_ptr<Verifier> make_verifier(const DecoderOptions& options) {
  const std::string& kind = options.verifier;
  if (kind == "replay") return make_replay_verifier(options.replay);
  if (kind == "greedy" && options.sampling.temperature != 0)
    throw ConfigError(fmt::format("verifier 'greedy' with temperature = {}; allowed: temperature 0; use verifier 'rejection'", options.sampling.temperature));
  // At temperature 0 the ratio test is the match of arg max, whatever law the drafts came from.
  if (kind == "greedy" || (kind == "rejection" && options.sampling.temperature == 0)) return make_greedy_verifier();
  if (kind == "rejection") return make_rejection_verifier(options.seed);
  throw ConfigError(fmt::format("verifier '{}'; allowed: {}", escaped(kind), fmt::join(verifier_kinds(), ", ")));
}

}  // namespace speclab::engines
