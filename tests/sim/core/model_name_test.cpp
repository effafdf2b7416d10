#include "sim/core/setting.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

/// Defect: tables name a model by the revision of its snapshot.
TEST(ModelNames, ComeFromTheLastPartOfThePath) {
  EXPECT_EQ(model_name_of_path("/models/tiny"), "tiny");
  EXPECT_EQ(model_name_of_path("/models/tiny/"), "tiny");
  EXPECT_EQ(model_name_of_path("a/tiny.Q8_0.gguf"), "tiny.Q8_0.gguf");
  EXPECT_EQ(model_name_of_path("/models/tiny/v12/"), "tiny");
  EXPECT_EQ(model_name_of_path("v1"), "v1");
  EXPECT_EQ(model_name_of_path("/hub/models--Org--Tiny-1B/snapshots/0123abcd"), "Tiny-1B");
  EXPECT_EQ(model_name_of_path("/hub/models--gpt2/snapshots/0123abcd/"), "gpt2");
  EXPECT_EQ(model_name_of_path("mine/snapshots/0123abcd"), "0123abcd");
}

}  // namespace
}  // namespace speclab
