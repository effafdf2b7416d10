#pragma once
// Decides which drafted tokens stand. The rules themselves are scalar truth in sim/core; here they meet the engine.

#include <memory>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "sim/core/acceptance.h"

namespace speclab::engines {

class Verifier {
 public:
  virtual ~Verifier() = default;
  virtual std::string name() const = 0;
  /// Whether the output law is the target's.
  virtual bool lossless() const = 0;
  virtual void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key, Verdict& verdict) = 0;
};

/// @throws ConfigError naming the kinds there are
std::unique_ptr<Verifier> make_verifier(const DecoderOptions& options);
std::vector<std::string> verifier_kinds();

std::unique_ptr<Verifier> make_greedy_verifier();
std::unique_ptr<Verifier> make_rejection_verifier(std::uint64_t seed);
std::unique_ptr<Verifier> make_replay_verifier(std::shared_ptr<const ReplayTrace> trace);

}  // namespace speclab::engines
