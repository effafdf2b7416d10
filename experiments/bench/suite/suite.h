#pragma once
// The benchmarks whose times and instruction counts `speclab compare` gates. A benchmark does the same work in every call and says what
// came out, so that two builds are compared on equal work and no compiler leaves it out.

#include <cstdint>
#include <functional>
#include <string>

namespace speclab::bench {

/// One call of a benchmark. The result stands for what it worked out and is the same in every call.
using Work = std::function<std::uint64_t()>;

/// Builds what the calls need; called when the benchmark is first run, so that what is not asked for costs nothing.
using SetUp = std::function<Work()>;

/// Calls of a repetition: enough that a share of them can be added as extra work, and a fixed number, so that counts are equal.
inline constexpr int kCalls = 200;

class Suite {
 public:
  /// @param extra_permille  of all calls that are made beside those that count: a planted slow-down
  explicit Suite(int extra_permille) : extra_permille_(extra_permille) {}

  /// Adds a benchmark. @param name  "family/what"
  void add(const std::string& name, const SetUp& set_up, int calls = kCalls) const;

 private:
  int extra_permille_;
};

/// The share in $SPECLAB_BENCH_EXTRA_WORK, as 0.05, in thousandths; 0 where it is not set.
/// @throws ConfigError unless it is a number from 0 to 1
int planted_extra_permille();

/// A mixture of numbers in which each counts, and their order. @source Fowler, Noll, Vo: FNV-1a, on words
class Checksum {
 public:
  Checksum& add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x100000001B3u;
    return *this;
  }
  Checksum& add_all(const auto& values) {
    for (const auto& value : values) add(static_cast<std::uint64_t>(value));
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace speclab::bench
