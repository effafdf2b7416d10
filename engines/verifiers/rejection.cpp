#include "engines/verifiers/verifier.h"

namespace speclab::engines {
namespace {

class RejectionVerifier final : public Verifier {
 public:
  explicit RejectionVerifier(std::uint64_t seed) : chance_(seed) {}
  std::string name() const override { return "rejection"; }
  bool lossless() const override { return true; }
  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key, Verdict& verdict) override {
    verify_rejection(draft, target_laws, key, chance_, scratch_, verdict);
  }

 private:
  PhiloxChance chance_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Verifier> make_rejection_verifier(std::uint64_t seed) { return std::make_unique<RejectionVerifier>(seed); }

}  // namespace speclab::engines
