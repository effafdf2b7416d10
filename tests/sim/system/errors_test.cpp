#include "sim/system/errors.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

TEST(Errors, CarryTheExitCodeOfTheirKind) {
  try {
    throw ModelFileError("model.gguf:12: bad magic");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model_file);
    EXPECT_STREQ(error.what(), "model.gguf:12: bad magic");
  }
}

TEST(Expect, NamesTheConditionTheFileAndTheMessage) {
  try {
    SPECLAB_EXPECT(1 + 1 == 3, "sum = 2");
    FAIL() << "no error";
  } catch (const ContractError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(text.find("errors_test.cpp"), std::string::npos);
    EXPECT_NE(text.find("sum = 2"), std::string::npos);
  }
}

TEST(Expect, BuildsTheMessageOnlyOnFailure) {
  int built = 0;
  const auto message = [&] {
    ++built;
    return std::string("x");
  };
  SPECLAB_EXPECT(true, message());
  EXPECT_EQ(built, 0);
}

}  // namespace
}  // namespace speclab
