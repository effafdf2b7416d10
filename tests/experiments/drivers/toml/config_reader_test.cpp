#include "experiments/drivers/toml/config_reader.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no ConfigError";
}

TEST(ConfigReader, ReadsEveryType) {
  const ConfigNode root = parse_config(
      "flag = true\ntext = \"a\"\nn = -3\nx = 2\nlist = [0.5, 1]\none = \"b\"\n", "f.toml");
  ConfigReader reader(root);
  bool flag = false;
  std::string text;
  std::int32_t n = 0;
  double x = 0;
  std::vector<double> list;
  std::vector<std::string> one;
  reader.read("flag", flag);
  reader.read("text", text);
  reader.read("n", n);
  reader.read("x", x);
  reader.read("list", list);
  reader.read("one", one);
  EXPECT_NO_THROW(reader.finish());
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "a");
  EXPECT_EQ(n, -3);
  EXPECT_EQ(x, 2.0);
  EXPECT_EQ(list, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(one, std::vector<std::string>{"b"});
}

TEST(ConfigReader, LeavesWhatIsMissing) {
  const ConfigNode root = parse_config("", "f.toml");
  std::int32_t n = 7;
  ConfigReader(root).read("n", n);
  EXPECT_EQ(n, 7);
}

TEST(ConfigReader, NamesTheNearestKeyOfAnUnknownOne) {
  const ConfigNode root = parse_config("\n  temperture = 1\n", "f.toml");
  ConfigReader reader(root);
  double temperature = 0;
  reader.read("temperature", temperature);
  EXPECT_EQ(message_of([&] { reader.finish(); }),
            "f.toml:2:3: unknown key temperture = 1; allowed: temperature; did you mean "
            "temperature?\n    temperture = 1\n    ^");
}

TEST(ConfigReader, RefusesNumbersThatDoNotFit) {
  const ConfigNode root = parse_config("big = 3000000000\nnan = nan\nreal = 1.5\n", "f.toml");
  ConfigReader reader(root);
  std::int32_t n = 0;
  double x = 0;
  EXPECT_NE(message_of([&] {
              reader.read("big", n);
            }).find("f.toml:1:7: big = 3000000000; allowed: integers"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { reader.read("nan", x); }).find("f.toml:2:7: nan = nan; allowed: numbers"),
      std::string::npos);
  EXPECT_NE(
      message_of([&] { reader.read("real", n); }).find("f.toml:3:8: real = 1.5; allowed: integers"),
      std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
