#include "sim/system/toml_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace speclab {
namespace {

std::string key(std::size_t parts) {
  std::string text = "a";
  for (std::size_t i = 1; i < parts; ++i) text += ".a";
  return text;
}

TEST(TomlDepth, FindsTheLineOfAKeyThatIsTooDeep) {
  const std::string deep = key(kMaxTomlKeyParts + 1);
  EXPECT_EQ(too_deep_toml_line(key(kMaxTomlKeyParts) + " = 1\n"), 0U);
  EXPECT_EQ(too_deep_toml_line(deep + " = 1\n"), 1U);
  EXPECT_EQ(too_deep_toml_line("x = 1\n\n[" + deep + "]\n"), 3U);
  EXPECT_EQ(too_deep_toml_line("x = { " + deep + " = 1 }"), 1U);
  EXPECT_EQ(too_deep_toml_line("\"\"\"\n\n\"\"\"\n" + deep), 4U);
}

TEST(TomlDepth, LooksAtKeysOnly) {
  const std::string dots(1000, '.');
  std::string reals = "x = [0.1";
  for (int i = 0; i < 500; ++i) reals += ", 0.5";
  for (const std::string& text : {"x = \"" + dots + "\"", "x = '" + dots + "'", "# " + dots,
                                  "x = \"\"\"" + dots + "\n" + dots + "\"\"\"", reals + "]",
                                  "x = \"a \\\" " + dots + "\"", std::string()})
    EXPECT_EQ(too_deep_toml_line(text), 0U) << text;
}

TEST(TomlDepth, EndsOnTextsThatAreNoToml) {
  for (const char* text : {"\"", "'''", "\"\"\"", "\"\\", "#", "'", "\"\"\"a\"\""})
    EXPECT_EQ(too_deep_toml_line(text), 0U) << text;
}

}  // namespace
}  // namespace speclab
