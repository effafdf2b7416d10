// Files as editors, other systems and accidents leave them.
#include <gtest/gtest.h>

#include <string>

#include "experiments/drivers/config/run_config.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

class ConfigBytes : public ::testing::Test {
 protected:
  RunConfig read(const std::string& text) const {
    return read_run_config(folder_.file("a.toml", text), {});
  }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const ConfigError& error) {
      return std::string(error.what()).substr(folder_.path("a.toml").size());
    }
    return "accepted";
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(ConfigBytes, AByteOrderMarkIsNoPartOfTheFirstKey) {
  EXPECT_EQ(read("\xef\xbb\xbf[experiment]\nname = \"b\"\n").name, "b");
  EXPECT_EQ(refusal("\xef\xbb\xbf[experimnt]\nname = \"b\"\n").substr(0, 25),
            ":1:2: unknown key experim");
  EXPECT_NE(refusal("\xef\xbb\xbf[experimnt]\n").find("\n  [experimnt]\n   ^"), std::string::npos)
      << refusal("\xef\xbb\xbf[experimnt]\n");
}

TEST_F(ConfigBytes, LinesMayEndAsOnWindows) {
  EXPECT_EQ(read("# Why?\r\n[experiment]\r\nname = \"b\"\r\n").name, "b");
  const std::string message = refusal("[experiment]\r\nseed = -1\r\nnme = \"b\"\r\n");
  EXPECT_EQ(message.find('\r'), std::string::npos);
  EXPECT_TRUE(message.starts_with(":2:8: ")) << message;
  EXPECT_NE(message.find(":3:1: "), std::string::npos) << message;
}

TEST_F(ConfigBytes, ATabIsOneColumnAndTheCaretStandsBelow) {
  EXPECT_NE(
      refusal("[experiment]\n\tseed\t=\t-1\n")
          .find(":2:9: experiment.seed = -1; allowed: integers >= 0\n   seed = -1\n          ^"),
      std::string::npos)
      << refusal("[experiment]\n\tseed\t=\t-1\n");
}

TEST_F(ConfigBytes, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(read("[experiment]\nname = \"b\"").name, "b");
  EXPECT_TRUE(refusal("[experiment]\nname = \"").starts_with(":2:"));
  EXPECT_EQ(read("").name, "run");
  EXPECT_EQ(read("# only a question").question, "only a question");
}

TEST_F(ConfigBytes, ALineOfAMegabyteIsReadAndQuotedInPart) {
  const std::string blanks(1 << 20, ' ');
  EXPECT_EQ(read("[experiment]\nname =" + blanks + "\"b\"\n").name, "b");
  const std::string message = refusal("[experiment]\nseed =" + blanks + "-1" + blanks + "\n");
  EXPECT_TRUE(message.starts_with(":2:" + std::to_string(7 + (1 << 20)) + ": experiment.seed = -1"))
      << message.substr(0, 200);
  EXPECT_LT(message.size(), 400u);
  const std::string long_name =
      refusal("[experiment]\nname = \"" + std::string(1 << 20, '/') + "\"\n");
  EXPECT_TRUE(long_name.starts_with(":2:8: experiment.name = ")) << long_name.substr(0, 200);
  EXPECT_LT(long_name.size(), 500u);
  EXPECT_LT(refusal(std::string(1 << 20, 'k') + " = 1\n").size(), 1000u);
}

TEST_F(ConfigBytes, DeepNestingIsRefusedNotFollowed) {
  for (const int depth : {300, 100'000}) {
    const auto times = [&](const std::string& text) {
      std::string all;
      for (int i = 0; i < depth; ++i) all += text;
      return all;
    };
    for (const std::string& text : {"a = " + times("["), "a = " + times("[") + times("]"),
                                    "a = " + times("{ a = ") + "1" + times(" }"),
                                    "a" + times(".a") + " = 1", "[a" + times(".a") + "]"})
      EXPECT_TRUE(refusal("[axes]\n" + text + "\n").starts_with(":2:"))
          << depth << text.substr(0, 20) << refusal("[axes]\n" + text + "\n").substr(0, 200);
  }
}

TEST_F(ConfigBytes, BytesThatAreNoTextAreRefusedAndNotEchoed) {
  for (const std::string& bytes :
       {std::string("\xff"), std::string("\xc3("), std::string("\xed\xa0\x80"),
        std::string("\0", 1), std::string("\x1b[31m")}) {
    const std::string message = refusal("[experiment]\nname = \"a" + bytes + "\"\n");
    EXPECT_TRUE(message.starts_with(":2:")) << message;
    for (const char c : message)
      EXPECT_TRUE(c == '\n' ||
                  (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f))
          << message;
  }
}

}  // namespace
}  // namespace speclab::experiments
