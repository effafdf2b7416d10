#pragma once
// The benchmarks whose times and instruction counts `speclab compare` gates. A benchmark does the
// same work in every call and says what came out, so that two builds are compared on equal work and
// no compiler leaves it out.

#include <cstdint>
#include <functional>
#include <string>

namespace speclab::bench {

/// One call of a benchmark. The result stands for what it worked out and is the same in every call.
using Work = std::function<std::uint64_t()>;

/// Builds what the calls need; called when the benchmark is first run, so that what is not asked
/// for costs nothing.
using SetUp = std::function<Work()>;

struct SuiteOptions {
  int extra_permille =
      0;            ///< of the calls that are made beside those that count: a planted slow-down
  int calls = 100;  ///< of a repetition: a fixed number, so that counts are equal, and enough that
                    ///< a share of them can be planted
};

class Suite {
 public:
  explicit Suite(const SuiteOptions& options) : options_(options) {}

  /// Adds a benchmark. @param name  "family/what"
  void add(const std::string& name, const SetUp& set_up) const {
    add(name, set_up, options_.calls);
  }
  /// One with another number of calls.
  void add(const std::string& name, const SetUp& set_up, int calls) const;

 private:
  SuiteOptions options_;
};

/// From $SPECLAB_BENCH_EXTRA_WORK, the share of work to add, as 0.05, and $SPECLAB_BENCH_CALLS.
/// @throws ConfigError unless they are numbers from 0 to 1, and integers from 1 to 100000
SuiteOptions suite_options_of_environment();

/// A mixture of numbers in which each counts, and their order. @source Fowler, Noll, Vo: FNV-1a, on
/// words
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

// The families of the suite, one file each.

void add_verification(const Suite& suite);
void add_processors(const Suite& suite);
void add_samplers(const Suite& suite);
void add_trees(const Suite& suite);
void add_ngrams(const Suite& suite);
void add_tokenizer(const Suite& suite);
void add_simulator(const Suite& suite);
void add_parsers(const Suite& suite);
void add_decoding(const Suite& suite);
void add_device_round(const Suite& suite);
/// What the clocks are tested with; not compared.
void add_timer(const Suite& suite);

}  // namespace speclab::bench
