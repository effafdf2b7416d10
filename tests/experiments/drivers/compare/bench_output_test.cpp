#include "experiments/drivers/compare/bench_output.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::string entry(const std::string& name, const std::string& cpu, const std::string& more = "") {
  return "{\"name\":\"" + name +
         "/iterations:200/process_time\",\"run_type\":\"iteration\",\"cpu_time\":" + cpu +
         ",\"real_time\":9,\"time_unit\":\"ns\",\"checksum\":7" + more + "}";
}

std::string output(const std::string& entries) {
  return "{\"context\":{\"revision\":\"abc\",\"instruction_set\":\"x86-64\"},\"benchmarks\":[" +
         entries + "]}";
}

void expect_refusal(const std::string& text, const std::string& part) {
  try {
    parse_bench_output(text, "here");
    FAIL() << "accepted: " << text.substr(0, 200);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_measurement);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_LT(std::string(error.what()).size(), 600u);
  }
}

TEST(BenchOutput, TakesTheLeastOfRepetitionsAndNoAggregates) {
  const BenchOutput read = parse_bench_output(
      output(entry("f/a", "5.5") + "," + entry("f/b", "8") + "," +
             entry("f/a", "4.5", ",\"instructions\":30") +
             ",{\"name\":\"f/a_mean\",\"run_type\":\"aggregate\",\"cpu_time\":1}"),
      "here");
  ASSERT_EQ(read.results.size(), 2u);
  EXPECT_EQ(read.results[0].name, "f/a");
  EXPECT_EQ(read.results[0].cpu_ns, 4.5);
  EXPECT_EQ(read.results[0].instructions, 30);
  EXPECT_EQ(read.results[1].instructions, std::nullopt);
  EXPECT_EQ(read.revision, "abc");
  EXPECT_EQ(read.find("f/c"), nullptr);
}

TEST(BenchOutput, RefusesWhatIsNoOutput) {
  expect_refusal("", "parse error");
  expect_refusal("no JSON at all", "parse error");
  expect_refusal("[]", "no JSON object");
  expect_refusal("{}", "no array 'benchmarks'");
  expect_refusal("{\"benchmarks\":3}", "no array 'benchmarks'");
  expect_refusal("{\"benchmarks\":[3]}", "no object");
  expect_refusal("{\"benchmarks\":[{}]}", "no text 'run_type'");
  expect_refusal(output(entry("f/a", "5")).substr(0, 100), "parse error");
  expect_refusal(std::string(100'000, '['), "");
  expect_refusal("{\"benchmarks\":" + std::string(20, '[') + std::string(20, ']') + "}",
                 "levels of lists and objects, more than 8");
  expect_refusal(std::string((std::size_t{16} << 20) + 1, ' '), "more than");
}

TEST(BenchOutput, RefusesTimesThatAreNone) {
  for (const char* time : {"0", "-1", "1e999", "\"5\"", "null", "NaN", "true"})
    expect_refusal(output(entry("f/a", time)), "");
  expect_refusal(output(entry("f/a", "5", ",\"instructions\":-3")), "instructions");
  expect_refusal(output("{\"name\":\"f/"
                        "a\",\"run_type\":\"iteration\",\"cpu_time\":5,\"real_time\":5,\"time_"
                        "unit\":\"us\",\"checksum\":7}"),
                 "not in ns");
  expect_refusal(
      output("{\"name\":\"f/"
             "a\",\"run_type\":\"iteration\",\"cpu_time\":5,\"real_time\":5,\"time_unit\":\"ns\"}"),
      "checksum");
  expect_refusal(output("{\"name\":\"f/"
                        "a\",\"run_type\":\"iteration\",\"cpu_time\":5,\"real_time\":5,\"time_"
                        "unit\":\"ns\",\"checksum\":0.5}"),
                 "checksum");
}

TEST(BenchOutput, RefusesABenchmarkThatFailed) {
  expect_refusal(
      output(entry("f/a", "5", ",\"error_occurred\":true,\"error_message\":\"calls differ\"")),
      "calls differ");
  expect_refusal(output(entry("f/a", "5") + ",{\"name\":\"f/"
                                            "a\",\"run_type\":\"iteration\",\"cpu_time\":5,\"real_"
                                            "time\":5,\"time_unit\":\"ns\",\"checksum\":8}"),
                 "different things");
}

TEST(BenchOutput, QuotesNamesSoThatATerminalIsSafe) {
  try {
    parse_bench_output(output(entry("f/\\u001b[31m", "0")), "here");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace speclab::experiments
