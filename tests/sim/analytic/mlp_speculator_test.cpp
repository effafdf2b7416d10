#include "sim/analytic/other_forms.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// The nine released shapes; four have a size in their name, rounded. @source IBM 2024, model cards
TEST(MlpParameters, AreThoseOfReleasedSpeculators) {
  EXPECT_EQ(mlp_parameters({4096, 32000, 3, 4096, false}), 836788224) << "Llama-2-7B, 840m";
  EXPECT_EQ(mlp_parameters({4096, 32008, 5, 4096, false}), 1394974720)
      << "IBM-7B-instruct-lab, 1_4b";
  EXPECT_EQ(mlp_parameters({5120, 32000, 3, 4096, false}), 840982528) << "Llama-2-13B-chat";
  EXPECT_EQ(mlp_parameters({5120, 32016, 7, 4096, false}), 1957617664) << "CodeLlama-13B, 2b";
  EXPECT_EQ(mlp_parameters({8192, 32000, 5, 8192, true}), 658522112) << "CodeLlama-34B";
  EXPECT_EQ(mlp_parameters({4096, 128256, 4, 3072, false}), 3192938496) << "Llama-3-8B, 3_2b";
  EXPECT_EQ(mlp_parameters({6144, 49152, 4, 4096, false}), 1686142976) << "Granite-20B-code";
  EXPECT_EQ(mlp_parameters({6144, 49152, 5, 6144, true}), 679489536) << "Granite-34B-code";
  EXPECT_EQ(mlp_parameters({8192, 128256, 4, 3584, true}), 961551360) << "Llama-3-70B";
}

TEST(MlpParameters, AddUpOverTheMatrices) {
  for_random_values([](RandomValues& values) {
    const MlpSpeculatorShape shape{values.integer(1, 50), values.integer(1, 50),
                                   values.integer(1, 6), values.integer(1, 50),
                                   values.integer(0, 1) == 1};
    long long expected = 0;
    for (int stage = 0; stage < shape.heads; ++stage) {
      const long long embedding = static_cast<long long>(shape.vocab) * shape.inner_size,
                      head = embedding, norm = 2LL * shape.inner_size;
      if (stage == 0 || !shape.tied) expected += embedding + head + norm;
      if (stage == 0) expected += static_cast<long long>(shape.base_hidden_size) * shape.inner_size;
      if (stage == 1 || (stage > 1 && !shape.tied))
        expected += static_cast<long long>(shape.inner_size) * shape.inner_size;
    }
    EXPECT_EQ(mlp_parameters(shape), expected);
  });
}

TEST(MlpSpeculator, RefusesArgumentsOutOfRange) {
  const std::vector<MlpSpeculatorShape> broken{{0, 1, 1, 1, false},
                                               {1, 0, 1, 1, false},
                                               {1, 1, 0, 1, false},
                                               {1, 1, 1, 0, false},
                                               {-1, 1, 1, 1, true}};
  for (const MlpSpeculatorShape& shape : broken) EXPECT_THROW(mlp_parameters(shape), ContractError);
}

}  // namespace
}  // namespace speclab::sim
