#include "experiments/drivers/compare/bench_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 8;  ///< Google Benchmark's has 4
constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostName = 200;

/// Reads one output; all that is not as it should be is said with its benchmark.
class OutputReader {
 public:
  explicit OutputReader(const std::string& where) : where_(where) {}

  BenchOutput read(std::string_view text) const {
    const json root = parse(text);
    BenchOutput output{.revision = context(root, "revision"),
                       .build = context(root, "build"),
                       .instruction_set = context(root, "instruction_set"),
                       .machine = machine(root),
                       .results = {}};
    const auto benchmarks = root.find("benchmarks");
    if (benchmarks == root.end() || !benchmarks->is_array()) fail("there is no array 'benchmarks'");
    for (const json& entry : *benchmarks) add(entry, output);
    return output;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        ExitCode::invalid_measurement,
        fmt::format("{}: {}; allowed: the JSON of a suite_bench of this project; build it again",
                    where_, what));
  }

  json parse(std::string_view text) const {
    if (text.size() > kMostBytes) fail(fmt::format("more than {} bytes", kMostBytes));
    if (const int depth = json_depth(text); depth > kMostDepth)
      fail(fmt::format("{} levels of lists and objects, more than {}", depth, kMostDepth));
    try {
      json root = json::parse(text);
      if (!root.is_object()) fail("no JSON object");
      return root;
    } catch (const json::exception& error) {
      fail(escaped(error.what(), 200));
    }
  }

  static std::string context(const json& root, const char* key) {
    const auto context = root.find("context");
    if (context == root.end() || !context->is_object() || !context->contains(key) ||
        !(*context)[key].is_string())
      return "";
    return escaped((*context)[key].get<std::string>(), 60);
  }

  static std::string machine(const json& root) {
    const auto context = root.find("context");
    if (context == root.end() || !context->is_object() || !context->contains("num_cpus") ||
        !context->contains("mhz_per_cpu"))
      return "";
    return escaped(fmt::format("{} processors of {} MHz", (*context)["num_cpus"].dump(),
                               (*context)["mhz_per_cpu"].dump()),
                   60);
  }

  std::string text(const json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_string())
      fail(fmt::format("a benchmark has no text '{}'", key));
    return found->get<std::string>();
  }

  double number(const json& entry, const std::string& name, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_number())
      fail(fmt::format("benchmark '{}' has no number '{}'", escaped(name), key));
    return found->get<double>();
  }

  double positive(const json& entry, const std::string& name, const char* key) const {
    const double value = number(entry, name, key);
    if (!std::isfinite(value) || value <= 0.0)
      fail(fmt::format("benchmark '{}' has {} = {}", escaped(name), key, value));
    return value;
  }

  std::int64_t checksum(const json& entry, const std::string& name) const {
    const double value = number(entry, name, "checksum");
    if (!(value >= 0.0 && value <= 4294967295.0 && value == std::floor(value)))
      fail(fmt::format("benchmark '{}' has checksum = {}", escaped(name), value));
    return static_cast<std::int64_t>(value);
  }

  BenchResult result(const json& entry) const {
    const std::string whole = text(entry, "name");
    BenchResult result{.name = whole.substr(0, whole.find("/iterations:"))};
    if (result.name.empty() || result.name.size() > kMostName ||
        !table_text_problem(result.name).empty())
      fail(fmt::format("benchmark '{}'; allowed names: 1 to {} bytes without control characters",
                       escaped(result.name), kMostName));
    if (entry.contains("error_occurred") && entry["error_occurred"] == true)
      fail(fmt::format("benchmark '{}' failed: {}", escaped(whole),
                       escaped(text(entry, "error_message"))));
    if (text(entry, "time_unit") != "ns")
      fail(fmt::format("benchmark '{}' is not in ns", escaped(whole)));
    result.cpu_ns = positive(entry, whole, "cpu_time");
    result.wall_ns = positive(entry, whole, "real_time");
    result.checksum = checksum(entry, whole);
    if (entry.contains("instructions"))
      result.instructions = positive(entry, whole, "instructions");
    return result;
  }

  void add(const json& entry, BenchOutput& output) const {
    if (!entry.is_object()) fail("a benchmark is no object");
    if (text(entry, "run_type") != "iteration") return;
    const BenchResult one = result(entry);
    const auto known = std::ranges::find(output.results, one.name, &BenchResult::name);
    if (known == output.results.end()) {
      output.results.push_back(one);
      return;
    }
    if (known->checksum != one.checksum)
      fail(fmt::format("repetitions of benchmark '{}' worked out different things",
                       escaped(one.name)));
    known->cpu_ns = std::min(known->cpu_ns, one.cpu_ns);
    known->wall_ns = std::min(known->wall_ns, one.wall_ns);
    if (one.instructions)
      known->instructions =
          std::min(known->instructions.value_or(*one.instructions), *one.instructions);
  }

  const std::string& where_;
};

}  // namespace

const BenchResult* BenchOutput::find(std::string_view name) const {
  const auto found = std::ranges::find(results, name, &BenchResult::name);
  return found == results.end() ? nullptr : &*found;
}

BenchOutput parse_bench_output(std::string_view text, const std::string& where) {
  return OutputReader(where).read(text);
}

std::string family_of(const std::string& benchmark) {
  return benchmark.substr(0, benchmark.find('/'));
}

}  // namespace speclab::experiments
