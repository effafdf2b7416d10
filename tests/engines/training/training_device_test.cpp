// What a training on another device than the processor needs, as far as it can be known without
// one.

#include "engines/training/torch/training_device.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <set>

#include "engines/families/feature_transformer.h"
#include "engines/models/decoder_shape.h"
#include "engines/training/torch/feature_transformer_trainer.h"
#include "engines/training/torch/mlp_speculator_trainer.h"
#include "engines/training/torch/small_transformer_model.h"
#include "engines/training/torch/target_rows.h"
#include "sim/system/errors.h"
#include "tests/engines/training/feature_drafter.h"

namespace speclab::engines {
namespace {

using testing::TinyTarget;

/// Asked before anything else here: libtorch looks for CUDA once.
const bool kHasDevice = [] {
  try {
    return training_device({.device = "cuda"}).is_cuda();
  } catch (const DeviceError&) {
    return false;
  }
}();

TEST(TrainingDevice, RefusesWhatIsNotThere) {
  if (kHasDevice) GTEST_SKIP() << "a CUDA device is here";
  try {
    training_device({.device = "cuda"});
    FAIL() << "a device that is not there";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("drafter.device = 'cuda': ")) << error.what();
    EXPECT_NE(std::string(error.what()).find("allowed: cpu"), std::string::npos) << error.what();
  }
}

TEST(TrainingDevice, SaysWhatItMultiplies) {
  EXPECT_EQ(product_dtype({.dtype = "auto", .device = "cuda"}), at::kBFloat16);
  EXPECT_EQ(product_dtype({.dtype = "float32", .device = "cuda"}), at::kFloat);
  EXPECT_EQ(product_dtype({.dtype = "bfloat16", .device = "cpu"}), at::kBFloat16);
}

/// Operators whose shapes libtorch knows in Python alone.
at::Tensor selected_shape(const at::Tensor& from, std::int64_t dim, const at::Tensor& index) {
  std::vector<std::int64_t> shape = from.sizes().vec();
  shape[static_cast<std::size_t>(dim)] = index.numel();
  return at::empty(shape, from.options());
}
at::Tensor table_gradient_shape(const at::Tensor& gradient, const at::Tensor&, c10::SymInt rows,
                                c10::SymInt, bool) {
  return at::empty({rows.expect_int(), gradient.size(-1)}, gradient.options());
}
at::Tensor chosen_shape(const at::Tensor& condition, const at::Tensor& one,
                        const at::Tensor& other) {
  return at::empty(at::infer_size(condition.sizes(), at::infer_size(one.sizes(), other.sizes())),
                   other.options());
}
at::Tensor& chosen_shape_out(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                             at::Tensor& out) {
  return out;
}
TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("where.self", chosen_shape);
  library.impl("where.self_out", chosen_shape_out);
  library.impl("index_select", selected_shape);
  library.impl("embedding_dense_backward", table_gradient_shape);
}

/// Operators that were given tensors of two devices while it lived, but for copies from one to the
/// other and numbers.
class DeviceMixes {
 public:
  DeviceMixes() {
    names().clear();
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(look).needsInputs(true));
  }
  ~DeviceMixes() { at::removeCallback(handle_); }
  DeviceMixes(const DeviceMixes&) = delete;
  DeviceMixes& operator=(const DeviceMixes&) = delete;

  static std::set<std::string>& names() {
    static std::set<std::string> all;
    return all;
  }

 private:
  static void note(const at::Tensor& tensor, std::set<at::DeviceType>& devices) {
    if (tensor.defined() && tensor.dim() > 0) devices.insert(tensor.device().type());
  }
  static std::unique_ptr<at::ObserverContext> look(const at::RecordFunction& function) {
    static const std::set<std::string> copies{"aten::to", "aten::_to_copy", "aten::copy_"};
    std::set<at::DeviceType> devices;
    for (const c10::IValue& input : function.inputs()) {
      if (input.isTensor()) note(input.toTensor(), devices);
      if (input.isTensorList())
        for (const at::Tensor& tensor : input.toTensorList()) note(tensor, devices);
    }
    if (devices.size() > 1 && !copies.contains(function.name())) names().insert(function.name());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

/// On the device "meta" tensors have shapes and no values. What a training left on the processor
/// would meet them in an operator.
class OnMeta : public ::testing::Test {
 protected:
  static const at::Device& meta() {
    static const at::Device device(at::kMeta);
    return device;
  }
  std::vector<const OwnText*> texts() const {
    std::vector<const OwnText*> pointers;
    for (const OwnText& text : texts_) pointers.push_back(&text);
    return pointers;
  }
  FeatureBatch feature_batch(std::int64_t rows_before) const {
    return on_device(
        make_feature_batch(texts(), {target_.config().hidden_size, target_.config().hidden_size},
                           rows_before),
        meta());
  }
  /// Of every parameter a gradient, by operators that met tensors of one device.
  static void expect_gradients(const Parameters& parameters) {
    for (const Parameters::Parameter& parameter : parameters.all())
      EXPECT_TRUE(parameter.value.grad().defined()) << parameter.name;
    EXPECT_EQ(DeviceMixes::names(), std::set<std::string>{});
  }

  TinyTarget target_;
  std::vector<OwnText> texts_ = target_.texts(3, 20);
  DeviceMixes mixes_;
};

TEST_F(OnMeta, FindsWhatMeetsAcrossDevices) {
  const at::Tensor here = at::randn({3, 4}), there = here.to(meta());
  EXPECT_TRUE(DeviceMixes::names().empty());
  at::matmul(there, here.t());
  EXPECT_FALSE(DeviceMixes::names().empty());
}

TEST_F(OnMeta, TheSmallTransformerLeavesNothingBehind) {
  DecoderShape config = target_.config();
  config.draft_vocabulary = {1, 2, 5, 9};
  SmallTransformerModel model(config, at::randn({config.vocab_size, config.hidden_size}), 1);
  model.move_to(meta());
  const DraftBatch batch = on_device(
      make_draft_batch(texts(), rows_of_tokens(config.draft_vocabulary, config.vocab_size, kNoRow)),
      meta());
  const at::Tensor hidden =
      model.hidden(batch.tokens).view({-1, config.hidden_size}).index_select(0, batch.positions);
  const at::Tensor scores = at::matmul(hidden, model.head().t());
  (scores.gather(1, batch.top_rows) * batch.top_weights).sum().backward();
  model.add_head_gradient(at::zeros_like(model.head()), 1.0);
  expect_gradients(model.parameters());
}

TEST_F(OnMeta, TheFeatureTransformerLeavesNothingBehind) {
  for (const std::int32_t num_layers : {1, 2}) {
    const DecoderShape config = testing::feature_config(target_.config(), num_layers);
    FeatureTransformerModel model(config, at::randn({config.vocab_size, config.hidden_size}), 1);
    model.move_to(meta());
    for (const char* loss : {"forward_kl", "tokens"}) {
      TargetRows rows(target_.feature_target(), config.draft_vocabulary, loss, at::kBFloat16);
      rows.move_to(meta());
      const FeatureBatch batch = feature_batch(num_layers == 1 ? 2 : config.context_length);
      const std::int64_t count = batch.rows.size(0);
      at::Tensor sum;
      for (const at::Tensor& state : model.unrolled(batch.input, 3)) {
        const at::Tensor scores = at::matmul(
            state.reshape({-1, config.hidden_size}).index_select(0, batch.rows), rows.head().t());
        EXPECT_TRUE(rows.agreement(batch, 0, scores).is_meta());
        const at::Tensor loss_of_step =
            (scores * rows.wanted(batch, 0, count) - rows.law(batch, 0, count)).sum();
        sum = sum.defined() ? sum + loss_of_step : loss_of_step;
      }
      sum.backward();
      expect_gradients(model.parameters());
    }
  }
}

TEST_F(OnMeta, TheMlpSpeculatorLeavesNothingBehind) {
  MlpSpeculatorConfig config{.name = {},
                             .vocab_size = target_.config().vocab_size,
                             .base_hidden_size = target_.config().hidden_size,
                             .inner_size = 48,
                             .num_heads = 3,
                             .scales_input = true,
                             .draft_vocabulary = {1, 2, 5, 9}};
  MlpSpeculatorModel model(config, 1);
  model.move_to(meta());
  at::Tensor sum;
  const auto states = model.unrolled(feature_batch(2).input);
  for (std::size_t stage = 0; stage < states.size(); ++stage) {
    const at::Tensor scores = at::matmul(states[stage], model.head(static_cast<int>(stage)).t());
    sum = stage == 0 ? scores.sum() : sum + scores.sum();
  }
  sum.backward();
  expect_gradients(model.parameters());
}

/// Trains where a device is.
class OnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHasDevice) GTEST_SKIP() << "no CUDA device is here, or libtorch comes without CUDA";
  }
  TrainOptions options(const std::string& name, const char* device) const {
    TrainOptions options = testing::train_options(target_.folder() + "/" + name);
    options.schedule.dtype = "float32";
    options.schedule.device = device;
    return options;
  }

  TinyTarget target_;
};

/// Products of float32 in another order: a few units of the 24th bit a sum, over some hundred sums.
TEST_F(OnCuda, HasTheGradientsOfTheProcessor) {
  const std::vector<OwnText> texts = target_.texts(3, 20);
  std::vector<const OwnText*> pointers;
  for (const OwnText& text : texts) pointers.push_back(&text);
  const DecoderShape config = testing::feature_config(target_.config(), 1);
  const auto here =
                 feature_transformer_task(config, target_.feature_target(), options("here", "cpu")),
             there = feature_transformer_task(config, target_.feature_target(),
                                              options("there", "cuda"));
  EXPECT_NEAR(here->backward(pointers), there->backward(pointers), 1e-4);
  for (std::size_t i = 0; i < here->parameters().all().size(); ++i) {
    const at::Tensor expected = here->parameters().all()[i].value.grad(),
                     found = there->parameters().all()[i].value.grad().cpu();
    EXPECT_LT((found - expected).abs().max().item<double>(),
              1e-3 * expected.abs().max().item<double>() + 1e-7)
        << here->parameters().all()[i].name;
  }
  EXPECT_NEAR(here->validate(pointers)[0].acceptance_rate,
              there->validate(pointers)[0].acceptance_rate, 1e-4);
}

struct Stopped {};

TEST_F(OnCuda, GoesOnFromACheckpointAndNotOnAnotherDevice) {
  const auto texts = target_.texts(72, 24);
  for (const char* optimiser : kOptimisers) {
    TrainOptions parted = options(std::string("parted_") + optimiser, "cuda");
    parted.schedule.optimiser = optimiser;
    parted.config = {{"drafter.device", "cuda"}};
    int checks = 0;
    const auto train = [&](const std::function<void()>& check) {
      train_feature_transformer(texts, target_.feature_target(), parted,
                                {[](const TrainProgress&) {}, check});
    };
    EXPECT_THROW(train([&] {
                   if (++checks == 3) throw Stopped();
                 }),
                 Stopped);
    parted.schedule.device = "cpu";
    parted.config[0].second = "cpu";
    EXPECT_THROW(train({}), DataError) << optimiser;
    parted.schedule.device = "cuda";
    parted.config[0].second = "cuda";
    train({});
    EXPECT_TRUE(is_feature_transformer_folder(parted.output)) << optimiser;
  }
}

}  // namespace
}  // namespace speclab::engines
