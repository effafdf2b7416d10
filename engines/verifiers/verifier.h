#pragma once
// Decides which drafted tokens stand. The rules themselves are scalar truth in sim/rules; here
// they meet the engine.

#include <memory>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "sim/rules/acceptance.h"

namespace speclab::engines {

class Verifier {
 public:
  virtual ~Verifier() = default;
  virtual std::string name() const = 0;
  /// Whether the output law is the target's.
  virtual bool lossless() const = 0;
  virtual void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key,
                      Verdict& verdict) = 0;
};

/// At temperature 0, where laws and drafts are certain, every rule but `replay` and `observe` emits
/// what the match of arg max does.
/// @throws ConfigError naming the kinds there are, or what the kind does not go with
std::unique_ptr<Verifier> make_verifier(const DecoderOptions& options);

std::unique_ptr<Verifier> make_greedy_verifier();
/// A rule that draws. @param options  kind, seed, lenience, epsilon and delta
std::unique_ptr<Verifier> make_random_verifier(const DecoderOptions& options);
std::unique_ptr<Verifier> make_observe_verifier(const DecoderOptions& options);
std::unique_ptr<Verifier> make_replay_verifier(std::shared_ptr<const ReplayTrace> trace);

}  // namespace speclab::engines
