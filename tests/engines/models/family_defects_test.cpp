// Every choice of a decoder's description, left out or changed: the parity with transformers must
// break, or FamilyParity would not find such a defect.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/engines/families/family_models.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using speclab::testing::family_names;
using speclab::testing::FamilyFixture;
using speclab::testing::read_family;

/// Weights of which one role is replaced.
class ReplacedWeights final : public DecoderWeights {
 public:
  ReplacedWeights(const DecoderWeights& weights, TensorRole role, float value)
      : weights_(weights), role_(role), value_(value) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    std::vector<float> values = weights_.read(role, layer);
    if (role == role_) std::fill(values.begin(), values.end(), value_);
    return values;
  }
  std::string sha256() const override { return weights_.sha256(); }

 private:
  const DecoderWeights& weights_;
  TensorRole role_;
  float value_;
};

struct ChoiceDefect {
  std::string name;
  std::function<bool(const DecoderShape&)> applies;
  std::function<void(DecoderShape&)> apply;
  std::optional<std::pair<TensorRole, float>> replaced{};
};

void PrintTo(const ChoiceDefect& defect, std::ostream* out) { *out << defect.name; }

void nothing(DecoderShape&) {}

/// A tensor of ones or zeros in place of the file's.
ChoiceDefect without(const char* name, TensorRole role, float value) {
  return {name, [role](const DecoderShape& s) { return has_role(role, s, s.num_layers - 1); },
          nothing, std::pair{role, value}};
}

ChoiceDefect choice(const char* name, std::function<bool(const DecoderShape&)> applies,
                    std::function<void(DecoderShape&)> apply) {
  return {name, std::move(applies), std::move(apply)};
}

using S = DecoderShape;

std::vector<ChoiceDefect> choice_defects() {
  using enum TensorRole;
  return {
      choice(
          "RmsForLayerNorm", [](const S& s) { return s.norm == NormKind::layer; },
          [](S& s) { s.norm = NormKind::rms; }),
      choice(
          "LayerForRmsNorm", [](const S& s) { return s.norm == NormKind::rms; },
          [](S& s) { s.norm = NormKind::layer; }),
      choice(
          "NormAroundTakenForBefore", [](const S& s) { return s.norm_place == NormPlace::around; },
          [](S& s) { s.norm_place = NormPlace::before; }),
      choice(
          "NormAfterTheSumTakenForAfter",
          [](const S& s) { return s.norm_place == NormPlace::after_sum; },
          [](S& s) { s.norm_place = NormPlace::after; }),
      choice(
          "NormAfterTakenForAfterTheSum",
          [](const S& s) { return s.norm_place == NormPlace::after; },
          [](S& s) { s.norm_place = NormPlace::after_sum; }),
      choice(
          "NoFinalNorm", [](const S& s) { return s.final_norm; },
          [](S& s) { s.final_norm = false; }),
      choice(
          "OtherEpsilon", [](const S&) { return true; }, [](S& s) { s.norm_epsilon = 0.1f; }),
      choice(
          "NoPositionOffset", [](const S& s) { return s.position_offset > 0; },
          [](S& s) { s.position_offset = 0; }),
      choice(
          "WholeHeadsTurn", [](const S& s) { return s.rotary_size() > 0 && s.rotary_part > 0; },
          [](S& s) { s.rotary_part = 0; }),
      choice(
          "OtherBase", [](const S& s) { return s.positions == Positions::rotary; },
          [](S& s) { s.rope_theta *= 10; }),
      choice(
          "NoScaling",
          [](const S& s) { return s.rotary_scaling.kind != RotaryScaling::Kind::none; },
          [](S& s) { s.rotary_scaling = {}; }),
      choice(
          "NoMagnitude",
          [](const S& s) {
            return s.rotary_scaling.kind == RotaryScaling::Kind::yarn ||
                   s.rotary_scaling.kind == RotaryScaling::Kind::longrope;
          },
          [](S& s) { s.rotary_scaling.attention_factor = 1; }),
      choice(
          "OneBaseForAllLayers", [](const S& s) { return s.window_rope_theta.has_value(); },
          [](S& s) { s.window_rope_theta.reset(); }),
      choice(
          "NoWindow", [](const S& s) { return !s.windows.empty(); },
          [](S& s) { s.windows.clear(); }),
      choice(
          "WindowOneWider", [](const S& s) { return !s.windows.empty(); },
          [](S& s) {
            for (std::int32_t& window : s.windows) window += window > 0 ? 1 : 0;
          }),
      choice(
          "WindowInEveryLayer",
          [](const S& s) { return std::ranges::find(s.windows, 0) != s.windows.end(); },
          [](S& s) {
            std::ranges::fill(s.windows, std::ranges::max(s.windows));
            s.window_rope_theta.reset();
          }),
      choice(
          "NoAttentionCap", [](const S& s) { return s.attention_soft_cap > 0; },
          [](S& s) { s.attention_soft_cap = 0; }),
      choice(
          "NoLogitCap", [](const S& s) { return s.logit_soft_cap > 0; },
          [](S& s) { s.logit_soft_cap = 0; }),
      choice(
          "ScoresByHeadSize", [](const S& s) { return s.attention_scale.has_value(); },
          [](S& s) { s.attention_scale.reset(); }),
      choice(
          "NoHeadNorms", [](const S& s) { return s.head_norm != HeadNorm::none; },
          [](S& s) { s.head_norm = HeadNorm::none; }),
      choice(
          "SiluForGelu", [](const S& s) { return s.activation != Activation::silu; },
          [](S& s) { s.activation = Activation::silu; }),
      choice(
          "TanhForGelu", [](const S& s) { return s.activation == Activation::gelu; },
          [](S& s) { s.activation = Activation::gelu_tanh; }),
      choice(
          "GeluForTanh", [](const S& s) { return s.activation == Activation::gelu_tanh; },
          [](S& s) { s.activation = Activation::gelu; }),
      choice(
          "OneExpertOnly", [](const S& s) { return s.experts_per_token > 1; },
          [](S& s) { s.experts_per_token = 1; }),
      choice(
          "ExpertsNotNormalised",
          [](const S& s) { return s.num_experts > 0 && s.normalised_experts; },
          [](S& s) { s.normalised_experts = false; }),
      choice(
          "SequentialForParallel", [](const S& s) { return s.parallel && !s.shared_norm; },
          [](S& s) { s.parallel = false; }),
      choice(
          "ParallelForSequential", [](const S& s) { return !s.parallel; },
          [](S& s) { s.parallel = true; }),
      choice(
          "NoResidualScale", [](const S& s) { return s.residual_scale != 1; },
          [](S& s) { s.residual_scale = 1; }),
      choice(
          "NoEmbeddingScale", [](const S& s) { return s.embedding_scale != 1; },
          [](S& s) { s.embedding_scale = 1; }),
      choice(
          "NoLogitScale", [](const S& s) { return s.logit_scale != 1; },
          [](S& s) { s.logit_scale = 1; }),
      without("PlainOutputNorm", output_norm, 1),
      without("NoOutputNormBias", output_norm_bias, 0),
      without("PlainAttentionNorm", attention_norm, 1),
      without("NoAttentionNormBias", attention_norm_bias, 0),
      without("PlainAttentionOutputNorm", attention_output_norm, 1),
      without("NoAttentionOutputNormBias", attention_output_norm_bias, 0),
      without("PlainFeedForwardNorm", feed_forward_norm, 1),
      without("NoFeedForwardNormBias", feed_forward_norm_bias, 0),
      without("PlainFeedForwardOutputNorm", feed_forward_output_norm, 1),
      without("NoFeedForwardOutputNormBias", feed_forward_output_norm_bias, 0),
      without("PlainQueryNorm", query_norm, 1),
      without("PlainKeyNorm", key_norm, 1),
      without("NoQueryBias", query_bias, 0),
      without("NoValueBias", value_bias, 0),
      without("NoAttentionOutputBias", attention_output_bias, 0),
      without("NoGateBias", gate_bias, 0),
      without("NoUpBias", up_bias, 0),
      without("NoDownBias", down_bias, 0),
      without("NoHeadBias", head_bias, 0),
      without("NoPositions", position_embedding, 0),
      without("NoRouter", router, 0),
  };
}

/// A fixture with its opened checkpoint, once for all defects.
struct OpenedFamily {
  FamilyFixture family;
  testing::FamilyFolder folder;
  ModelSource source;

  explicit OpenedFamily(const std::string& name)
      : family(read_family(name)), folder(family, family.target), source(folder.open()) {}
};

const std::vector<std::unique_ptr<OpenedFamily>>& opened_families() {
  static const std::vector<std::unique_ptr<OpenedFamily>> all = [] {
    std::vector<std::unique_ptr<OpenedFamily>> opened;
    for (const std::string& name : family_names())
      opened.push_back(std::make_unique<OpenedFamily>(name));
    return opened;
  }();
  return all;
}

float distance_with(const ChoiceDefect& defect, const OpenedFamily& opened) {
  DecoderShape shape = opened.source.config;
  defect.apply(shape);
  const auto& replaced = defect.replaced;
  const ReplacedWeights weights(*opened.source.weights,
                                replaced ? replaced->first : TensorRole::embedding_norm,
                                replaced ? replaced->second : 0.0f);
  cpu::DecoderCpu model(shape, weights, cpu::ElementType::float32,
                        std::make_shared<cpu::ThreadTeam>(1));
  return testing::relative_distance(opened.family,
                                    testing::logits_of(model, testing::text_of(opened.family)));
}

class FamilyDefects : public ::testing::TestWithParam<ChoiceDefect> {};

/// Defect: the fixtures decide too little, and a choice could be left out unnoticed.
TEST_P(FamilyDefects, BreakTheParityOfSomeFixture) {
  constexpr float kClearly = 2 * testing::kLogitTolerance;
  float largest = 0;
  for (const auto& opened : opened_families()) {
    if (!GetParam().applies(opened->source.config)) continue;
    largest = std::max(largest, distance_with(GetParam(), *opened));
    if (largest > kClearly) return;
  }
  EXPECT_GT(largest, kClearly);
}

INSTANTIATE_TEST_SUITE_P(, FamilyDefects, ::testing::ValuesIn(choice_defects()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab::engines
