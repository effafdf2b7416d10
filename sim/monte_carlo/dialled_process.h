#pragma once
#include <span>
#include <utility>
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

// A drafter that is turned towards or away from its target: mixtures of laws. p is the target's
// law, q the draft's, both dense over the same vocabulary.

/// (1 - |dial|) q + |dial| r, where r is p for a positive dial, and for a negative one the
/// certainty of the token that p gives least among those that q gives no less than p does (the
/// lowest id on ties). Acceptance never falls as the dial rises: at 1 it is 1, at 0 that of q, at
/// -1 the least p of those tokens.
///
/// @param dial  in [-1, 1]
/// @throws ContractError as lk_divergence, or if the dial is out of range
std::vector<double> dialled_law(std::span<const double> p, std::span<const double> q, double dial);

/// The dial at which a token of the dialled law is accepted with that chance, within 1e-12.
/// @throws ContractError if no dial reaches it, naming what can be reached
double dial_for_acceptance(std::span<const double> p, std::span<const double> q,
                           double acceptance_probability);

/// The laws of target and draft at one place of a text.
struct LawPair {
  std::vector<double> p;  ///< target
  std::vector<double> q;  ///< draft
};

/// A dialled drafter over a set of places: each level stands at one of them, all equally likely,
/// drafts a token x of its dialled law q' and is accepted with min(1, p(x) / q'(x)). Its confidence
/// is q'(x), as an engine would see it.
class DialledProcess final : public AcceptanceProcess {
 public:
  /// @param dial  in [-1, 1], as in dialled_law. @throws ContractError if there is no pair, or as
  /// dialled_law
  DialledProcess(std::span<const LawPair> pairs, double dial);

  std::string name() const override { return "dialled"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t round) override;
  DraftLevel level(int index) override;
  void advance(int) override {}
  /// The mean over places of sum min(p, q').
  double acceptance_rate() const { return acceptance_rate_; }

 private:
  std::vector<double> cumulative_;  ///< over places and tokens that can be drafted
  std::vector<DraftLevel> levels_;  ///< of the same
  double acceptance_rate_ = 0.0;
  RngStream stream_{0};
  std::uint32_t sequence_ = 0;
  std::uint32_t round_ = 0;
};

}  // namespace speclab::sim
