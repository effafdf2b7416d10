#include "engines/models/catalogue.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

TEST(Catalogue, RefusesANameThatIsNoFile) {
  EXPECT_THROW(open_model("no-such-model"), ConfigError);
  EXPECT_THROW(open_tokenizer("no-such-model"), ConfigError);
}

TEST(Catalogue, RefusesANameThatIsTooLongForAFile) {
  for (const std::size_t length : {300u, 5000u}) {
    try {
      open_model(std::string(length, 'm'));
      ADD_FAILURE() << "accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("too long"), std::string::npos) << error.what();
    }
    EXPECT_THROW(open_tokenizer(std::string(length, 'm')), ConfigError);
  }
}

}  // namespace
}  // namespace speclab::engines
