#include "engines/verifiers/verifier.h"

namespace speclab::engines {
namespace {

class GreedyVerifier final : public Verifier {
 public:
  std::string name() const override { return "greedy"; }
  bool lossless() const override { return true; }
  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey&,
              Verdict& verdict) override {
    verify_greedy(draft, target_laws, verdict);
  }
};

}  // namespace

std::unique_ptr<Verifier> make_greedy_verifier() { return std::make_unique<GreedyVerifier>(); }

}  // namespace speclab::engines
