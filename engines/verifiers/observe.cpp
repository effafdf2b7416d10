#include "engines/verifiers/verifier.h"
#include "sim/core/law_sampling.h"

namespace speclab::engines {
namespace {

/// Keeps no draft: every round emits the target's own token, the one that plain decoding draws
/// there. So the text is plain decoding's and every place of it is drafted for.
class ObserveVerifier final : public Verifier {
 public:
  explicit ObserveVerifier(std::shared_ptr<Chance> chance) : chance_(std::move(chance)) {}
  std::string name() const override { return "observe"; }
  bool lossless() const override { return true; }

  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key,
              Verdict& verdict) override {
    verdict.clear();
    verdict.next = sample(target_laws(0), target_key(key, 0), *chance_, scratch_);
    verdict.next_kind = draft.tree.drafted() > 0 ? NextKind::recovered : NextKind::bonus;
  }

 private:
  std::shared_ptr<Chance> chance_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Verifier> make_observe_verifier(const DecoderOptions& options) {
  return std::make_unique<ObserveVerifier>(chance_of(options));
}

}  // namespace speclab::engines
