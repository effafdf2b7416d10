#include <functional>
#include <utility>

#include "engines/interface/names.h"
#include "engines/verifiers/verifier.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Rule = std::function<void(const Draft&, const TargetLaws<float>&, const RoundKey&, Chance&,
                                std::vector<float>&, Verdict&)>;

Rule rule_of(const DecoderOptions& options) {
  const std::string& kind = options.verifier;
  if (kind == "sample_and_match" || kind == "tree_naive")
    return verify_sample_and_match<float, Chance>;
  if (kind == "point_mass") return verify_point_mass<float, Chance>;
  if (kind == "block") return verify_block<float, Chance>;
  if (kind == "several_drafts") return verify_several_drafts<float, Chance>;
  if (kind == "lenient")
    return [=](const Draft& draft, const TargetLaws<float>& laws, const RoundKey& key,
               Chance& chance, std::vector<float>& scratch, Verdict& verdict) {
      verify_lenient(draft, laws, key, chance, scratch, verdict, options.lossy.lenience,
                     options.lossy.lenient_residual);
    };
  if (kind == "typical")
    return [=](const Draft& draft, const TargetLaws<float>& laws, const RoundKey& key,
               Chance& chance, std::vector<float>& scratch, Verdict& verdict) {
      verify_typical(draft, laws, key, chance, scratch, verdict, options.lossy.typical_epsilon,
                     options.lossy.typical_delta);
    };
  return verify_rejection<float, Chance>;
}

class RandomVerifier final : public Verifier {
 public:
  explicit RandomVerifier(const DecoderOptions& options)
      : name_(options.verifier), rule_(rule_of(options)), chance_(chance_of(options)) {}
  std::string name() const override { return name_; }
  bool lossless() const override { return verifier_traits(name_).keeps_law; }
  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key,
              Verdict& verdict) override {
    rule_(draft, target_laws, key, *chance_, scratch_, verdict);
  }

 private:
  std::string name_;
  Rule rule_;
  std::shared_ptr<Chance> chance_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Verifier> make_random_verifier(const DecoderOptions& options) {
  return std::make_unique<RandomVerifier>(options);
}

}  // namespace speclab::engines
