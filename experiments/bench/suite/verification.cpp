#include <memory>

#include "engines/sampling/logits_pipeline.h"
#include "engines/verifiers/verifier.h"
#include "experiments/bench/suite/suite.h"
#include "experiments/bench/verification/drawn_drafts.h"

namespace speclab::bench {
namespace {

constexpr std::size_t kVerifiedVocab = 2048;
constexpr std::uint32_t kRounds = 32;  ///< of a call

/// One rule on the same drafts in every call; laws are made before.
class Rounds {
 public:
  Rounds(const std::string& verifier, const DraftShape& shape)
      : verifier_(engines::make_verifier({.verifier = verifier, .seed = 2})) {
    const Logits logits(kVerifiedVocab);
    engines::LogitsPipeline pipeline({});
    for (const auto& row : logits.target) pipeline.law(row, {}, laws_.emplace_back());
    for (std::uint32_t i = 0; i < kRounds; ++i)
      drafts_.push_back(draw_draft(logits, verifier, shape, i));
  }

  std::uint64_t operator()() {
    const TargetLaws<float> laws = [this](TokenTree::Node node) -> const Law& {
      return laws_[static_cast<std::size_t>(node)];
    };
    Checksum checksum;
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      verifier_->verify(drafts_[i], laws, {0, 8 * i, 0}, verdict_);
      checksum.add_all(verdict_.accepted).add(static_cast<std::uint64_t>(verdict_.next));
    }
    return checksum.value();
  }

 private:
  std::unique_ptr<engines::Verifier> verifier_;
  std::vector<Law> laws_;
  std::vector<Draft> drafts_;
  Verdict verdict_;
};

void add(const Suite& suite, const std::string& verifier, const DraftShape& shape) {
  suite.add("verification/" + verifier + "/" + shape.name, [verifier, shape] {
    const auto rounds = std::make_shared<Rounds>(verifier, shape);
    return [rounds] { return (*rounds)(); };
  });
}

}  // namespace

void add_verification(const Suite& suite) {
  for (const char* verifier : {"rejection", "block", "point_mass"}) add(suite, verifier, kChain);
  for (const char* verifier : {"several_drafts", "tree_multi_round", "tree_without_replacement"})
    add(suite, verifier, kTwoChains);
}

}  // namespace speclab::bench
