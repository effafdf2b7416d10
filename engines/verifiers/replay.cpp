#include <algorithm>

#include "engines/verifiers/verifier.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Forces the accepted lengths of a logged trace along the first drafted child of every node: the
/// time of a shape model is real, its acceptance is a real pair's.
class ReplayVerifier final : public Verifier {
 public:
  explicit ReplayVerifier(std::shared_ptr<const ReplayTrace> trace) : trace_(std::move(trace)) {
    if (!trace_ || trace_->rounds.empty())
      throw ConfigError("verifier 'replay' needs a trace with at least one round");
  }
  std::string name() const override { return "replay"; }
  bool lossless() const override { return false; }

  void verify(const Draft& draft, const TargetLaws<float>& target_laws, const RoundKey& key,
              Verdict& verdict) override {
    verdict.clear();
    const std::int32_t wanted = trace_->at(key.sequence, key.round).accepted;
    TokenTree::Node node = 0;
    for (std::int32_t depth = 0; depth < wanted; ++depth) {
      target_laws(node);
      draft.tree.children(node, children_);
      if (children_.empty()) break;
      node = children_.front();
      verdict.accepted.push_back(node);
    }
    draft.tree.children(node, children_);
    verdict.next = target_laws(node).arg_max();
    verdict.next_kind = children_.empty() ? NextKind::bonus : NextKind::recovered;
    verdict.tested =
        static_cast<std::int32_t>(verdict.accepted.size()) + (children_.empty() ? 0 : 1);
  }

 private:
  std::shared_ptr<const ReplayTrace> trace_;
  std::vector<TokenTree::Node> children_;
};

}  // namespace

std::unique_ptr<Verifier> make_replay_verifier(std::shared_ptr<const ReplayTrace> trace) {
  return std::make_unique<ReplayVerifier>(std::move(trace));
}

}  // namespace speclab::engines
