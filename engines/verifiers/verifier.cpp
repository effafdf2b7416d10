#include "engines/verifiers/verifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "engines/interface/names.h"
#include "sim/core/law_sampling.h"
#include "sim/system/errors.h"

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

void check_settings(const DecoderOptions& options) {
  const auto check = [](bool valid, const char* name, double value, const char* allowed) {
    if (!valid) throw ConfigError(fmt::format("{} = {}; allowed: {}", name, value, allowed));
  };
  check(options.lossy.lenience > 0 && options.lossy.lenience <= 1, "lenience",
        options.lossy.lenience, "numbers in (0, 1]");
  check(options.lossy.typical_epsilon >= 0 && options.lossy.typical_epsilon <= 1, "typical_epsilon",
        options.lossy.typical_epsilon, "numbers in [0, 1]");
  check(options.lossy.typical_delta >= 0 && options.lossy.typical_delta <= 1, "typical_delta",
        options.lossy.typical_delta, "numbers in [0, 1]");
}

}  // namespace

std::unique_ptr<Verifier> make_greedy_verifier() { return std::make_unique<GreedyVerifier>(); }

std::unique_ptr<Verifier> make_observe_verifier(const DecoderOptions& options) {
  return std::make_unique<ObserveVerifier>(chance_of(options));
}

std::unique_ptr<Verifier> make_replay_verifier(std::shared_ptr<const ReplayTrace> trace) {
  return std::make_unique<ReplayVerifier>(std::move(trace));
}

std::unique_ptr<Verifier> make_random_verifier(const DecoderOptions& options) {
  return std::make_unique<RandomVerifier>(options);
}

std::unique_ptr<Verifier> make_verifier(const DecoderOptions& options) {
  const std::string& kind = options.verifier;
  if (!is_among(kind, kVerifierKinds))
    throw ConfigError(fmt::format("verifier '{}'; allowed: {}", escaped(kind),
                                  fmt::join(kUserVerifierKinds, ", ")));
  if (kind == "observe") return make_observe_verifier(options);
  if (kind == "replay") return make_replay_verifier(options.replay);
  if (kind == "greedy" && options.sampling.temperature != 0)
    throw ConfigError(fmt::format(
        "verifier 'greedy' with temperature = {}; allowed: temperature 0; use verifier 'rejection'",
        options.sampling.temperature));
  if (!verifier_traits(kind).takes_trees && options.drafter.tree != "chain")
    throw ConfigError(
        fmt::format("verifier '{}' with tree '{}'; allowed: chain; use another verifier for trees",
                    kind, escaped(options.drafter.tree)));
  check_settings(options);
  if (kind == "greedy") return make_greedy_verifier();
  return make_random_verifier(options);
}

}  // namespace speclab::engines
