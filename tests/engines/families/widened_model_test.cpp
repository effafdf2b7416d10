// A small model in larger sizes says what it says in its own.

#include "engines/families/widened_model.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using cpu::NumberForms, cpu::ProductKind, cpu::WeightChoice;

/// Layers of thirds, and heads in groups of three.
DecoderShape narrow_shape() {
  DecoderShape shape = testing::tiny_config();
  shape.num_layers = 4;
  shape.intermediate_size = 128;
  shape.num_heads = 6;
  shape.head_dim = 32;  // whole groups of int8 weights at every width
  return shape;
}

ModelSource narrow_source() {
  return {narrow_shape(), testing::tiny_weights(narrow_shape()), nullptr};
}

/// The first layers of the default model.
ModelSource first_layers(std::int32_t layers) {
  ModelSource source = open_model("smollm2-135m");
  source.config.num_layers = layers;
  return source;
}

struct Results {
  std::vector<float> logits, hidden;
};

/// All rows of a text, with states.
Results results_of(const ModelSource& source, const NumberForms& numbers) {
  cpu::DecoderCpu model(source.config, *source.weights, numbers,
                        std::make_shared<cpu::ThreadTeam>(2));
  std::mt19937 random(5);
  const auto text = testing::random_tokens(random, source.config.vocab_size, 9);
  const auto cache = model.make_cache(1, 16);
  std::vector<ForwardRow> rows = testing::chain_rows(text, cache->begin(), 0);
  for (ForwardRow& row : rows) row.wants_hidden = true;
  const ForwardResult result = model.forward(rows, *cache);
  return {{result.logits.begin(), result.logits.end()},
          {result.hidden.begin(), result.hidden.end()}};
}

/// Defect: a layer that is added adds something, an added column or head takes part, a mean square
/// is taken over the larger width, or a drafter reads other states. In every number form.
TEST(WidenedModel, HasTheBitsOfItsSource) {
  for (const NumberForms& numbers :
       {NumberForms(cpu::ElementType::float32), NumberForms(cpu::ElementType::bfloat16),
        NumberForms(WeightChoice::q8, ProductKind::exact),
        NumberForms(WeightChoice::q8, ProductKind::int8)}) {
    const Results narrow = results_of(narrow_source(), numbers);
    for (const std::int32_t hidden : {192, 256}) {
      const Results wide = results_of(widened_model(narrow_source(), {hidden, 320, 6}), numbers);
      EXPECT_EQ(narrow.logits, wide.logits) << numbers.name() << ", " << hidden;
      EXPECT_EQ(narrow.hidden, wide.hidden) << numbers.name() << ", " << hidden;
    }
  }
}

/// Defect: rows of blocks that are widened otherwise than their values, or blocks of zeros that
/// are not zero. The first layers of the real model.
TEST(WidenedModel, OfTheDefaultModelHasItsBits) {
  const NumberForms low_bit(WeightChoice::file, ProductKind::exact);
  const Results narrow = results_of(first_layers(2), low_bit);
  for (const std::int32_t hidden : {2304, 4096}) {
    const ModelSource wide = widened_model(first_layers(2), {hidden, 1600, 3});
    EXPECT_EQ(wide.weights->stored_type(TensorRole::gate, 0), "Q4_1");
    EXPECT_EQ(narrow.logits, results_of(wide, low_bit).logits) << hidden;
    EXPECT_EQ(wide.weights->sha256(), open_model("smollm2-135m").weights->sha256());
    EXPECT_EQ(wide.config.widened_from, "smollm2-135m, 576x1536x2");
  }
}

/// Defect: a drafter that reads hidden states sees those of the larger width, so that it drafts
/// otherwise beside the widened target.
TEST(WidenedModel, LeavesDraftersOfHiddenStatesTheirAcceptance) {
  testing::TinyPair pair(narrow_shape());
  const ModelSource source = widened_model(narrow_source(), {256, 320, 6});
  cpu::DecoderCpu wide(source.config, *source.weights, cpu::ElementType::float32,
                       std::make_shared<cpu::ThreadTeam>(1));
  for (const char* kind : {"feature_transformer", "mlp_speculator"}) {
    const DecoderOptions options{.sampling = {.temperature = 0.7},
                                 .stop = {.max_new_tokens = 40},
                                 .drafter = {.kind = kind},
                                 .seed = 3};
    HostRoundDecoder beside_wide(wide, nullptr, options, make_drafter(options, wide.info(), pair),
                                 make_verifier(options));
    const std::vector<Request> requests{{0, {1, 2, 3}}, {1, {7, 8}}};
    const auto expected = testing::decode(*pair.speculative(options), requests, 3),
               found = testing::decode(beside_wide, requests, 3);
    EXPECT_EQ(testing::output_ids(found), testing::output_ids(expected)) << kind;
    EXPECT_EQ(testing::total_accepted(found), testing::total_accepted(expected)) << kind;
    EXPECT_GT(testing::total_accepted(found), 0) << kind;
  }
}

/// Defect: further layers that stand before a stream which drafters read.
TEST(WidenedModel, AddsLayersAtTheEndsOfThirds) {
  for (std::int32_t layers = 30; layers < 100; ++layers) {
    DecoderShape wide;
    wide.num_layers = layers;
    std::int32_t adding = 0;
    for (std::int32_t layer = 0; layer < layers; ++layer) {
      const LayerOfSource of_source = layer_of_source(layer, layers, 30);
      if (of_source.adds) {
        EXPECT_EQ(of_source.layer, adding++);
      }
      const std::vector<std::int32_t> states = wide.state_layers();
      if (layer == states[0] || layer == states[1]) {
        EXPECT_EQ(adding, layer == states[0] ? 10 : 20) << layers;
      }
    }
    EXPECT_EQ(adding, 30) << layers;
  }
}

/// Defect: layers of another size than the shape's, or heads that are cut out of their groups.
TEST(WidenedModel, HasTheSizesOfItsShape) {
  const DecoderShape source = open_model("smollm2-135m").config;
  const DecoderShape wide = widened_shape(source, wide_sizes("shape-8b", source));
  EXPECT_EQ(std::tuple(wide.hidden_size, wide.intermediate_size, wide.num_layers, wide.num_heads,
                       wide.num_kv_heads, wide.head_dim, wide.vocab_size),
            std::tuple(4096, 14336, 32, 63, 21, 64, 49152));
  const auto weights_of_layers = [](const DecoderShape& shape) {
    DecoderShape no_head = shape;
    no_head.vocab_size = 1;
    return static_cast<double>(parameters_read(no_head));
  };
  for (const DecoderShape& shape : shape_models())
    if (shape.name == "shape-8b")
      EXPECT_NEAR(weights_of_layers(wide) / weights_of_layers(shape), 1, 0.02);
  EXPECT_EQ(wide_sizes("960x2560x32", source).intermediate, 2560);
}

/// Defect: a shape that cannot hold the model is taken, or refused without what is allowed.
TEST(WidenedModel, RefusesShapesThatCannotHoldIt) {
  const DecoderShape source = open_model("smollm2-135m").config;
  for (const auto& [shape, why] : std::vector<std::pair<const char*, const char*>>{
           {"shape-45m", "a hidden size of 384"},
           {"shape-3b", "a number of layers of 28"},
           {"shape-opt-13b", "a widened layer has"},
           {"shape-llama-2-13b", "a widened layer has"},
           {"shape-9b", "no such shape"},
           {"", "no such shape"},
           {"2304x4608", "no such shape"},
           {"2304x4608x30x", "no such shape"},
           {"512x1536x30", "a hidden size of 512"},
           {"2300x4608x30", "a hidden size of 2300"},
           {"2304x1024x30", "an intermediate size of 1024"},
           {"2304x4600x30", "an intermediate size of 4600"},
           {"2304x4608x29", "a number of layers of 29"},
           {"9999999x4608x30", "a hidden size of 9999999"}}) {
    try {
      wide_sizes(shape, source);
      ADD_FAILURE() << shape << " was taken";
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(why), std::string::npos) << message;
      EXPECT_NE(message.find("allowed: shape-135m, shape-360m, shape-8b, shape-llama-3.1-8b, or "
                             "HIDDENxINTERMEDIATExLAYERS with widths that are multiples of 64"),
                std::string::npos)
          << message;
    }
  }
  EXPECT_THROW(open_model("widened:shape-3b"), ConfigError);
  EXPECT_EQ(open_model("widened:shape-360m").config.name, "widened:shape-360m");
}

/// Defect: layers that stand in no file are read from one at every forward.
TEST(WidenedModel, IsNotStreamed) {
  const ModelSource wide = widened_model(narrow_source(), {256, 320, 6});
  NumberForms numbers = cpu::ElementType::bfloat16;
  numbers.resident_bytes = 1 << 20;
  EXPECT_THROW(cpu::DecoderCpu::describe(wide.config, *wide.weights, numbers), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
