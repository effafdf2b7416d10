#pragma once
// Build folders with a suite_bench that is a script: it lists what it was given and prints, run by
// run, the times it was given.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/engines/formats/temporary_folder.h"

namespace speclab::testing {

/// One benchmark of a fake suite.
struct FakeBenchmark {
  std::string name{};
  std::function<double(int run)> ns{};  ///< of a call in each process, from 0
  double checksum = 7;
  double instructions = 0;  ///< none if 0
};

struct FakeTimer {
  double sleep_ms = 100.0, spin_ms = 50.0, empty_ns = 1.0;
};

inline std::string fake_entry(const std::string& name, double ns,
                              const FakeBenchmark& benchmark = {}) {
  const std::string instructions =
      benchmark.instructions > 0 ? ",\"instructions\":" + std::to_string(benchmark.instructions)
                                 : "";
  return "{\"name\":\"" + name +
         "/iterations:200/process_time\",\"run_type\":\"iteration\",\"cpu_time\":" +
         std::to_string(ns) + ",\"real_time\":" + std::to_string(ns) +
         ",\"time_unit\":\"ns\",\"checksum\":" + std::to_string(benchmark.checksum) + instructions +
         "}";
}

inline std::string fake_output(const std::string& entries) {
  return "{\"context\":{\"revision\":\"fake\",\"build\":\"script\",\"num_cpus\":2,\"mhz_per_cpu\":"
         "2000,\"instruction_set\":\"x86-64\"},\"benchmarks\":[" +
         entries + "]}\n";
}

/// Lists what stands in `list`, prints timer.json for the family timer, else the files run.0 to
/// run.N in turn.
inline const char* const kFakeSuiteScript = R"(#!/bin/sh
here=$(dirname "$0")
case "$*" in
  *list_tests*) cat "$here/list" ;;
  *'^timer/'*) cat "$here/timer.json" ;;
  *) at=$(cat "$here/at"); echo $(( (at + 1) % $(cat "$here/runs") )) >"$here/at";
    cat "$here/run.$at" ;;
esac
)";

inline void make_executable(const std::string& path) {
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// Makes a build folder. @param runs  processes before the times begin anew
inline std::string fake_build(const TemporaryFolder& parent, const std::string& name,
                              const std::vector<FakeBenchmark>& benchmarks, int runs = 40,
                              const FakeTimer& timer = {}) {
  std::filesystem::create_directory(parent.path(name));
  std::string list = "timer/empty/iterations:200/process_time\n";
  for (const FakeBenchmark& benchmark : benchmarks)
    list += benchmark.name + "/iterations:200/process_time\n";
  parent.file(name + "/list", list);
  parent.file(name + "/at", "0");
  parent.file(name + "/runs", std::to_string(runs));
  const FakeBenchmark counted{.instructions =
                                  benchmarks.empty() ? 0 : benchmarks.front().instructions};
  parent.file(name + "/timer.json",
              fake_output(fake_entry("timer/empty", timer.empty_ns, counted) + "," +
                          fake_entry("timer/sleep_100ms", 1e6 * timer.sleep_ms) + "," +
                          fake_entry("timer/spin_50ms", 1e6 * timer.spin_ms)));
  for (int run = 0; run < runs; ++run) {
    std::string entries;
    for (const FakeBenchmark& benchmark : benchmarks)
      entries +=
          (entries.empty() ? "" : ",") + fake_entry(benchmark.name, benchmark.ns(run), benchmark);
    parent.file(name + "/run." + std::to_string(run), fake_output(entries));
  }
  make_executable(parent.file(name + "/suite_bench", kFakeSuiteScript));
  return parent.path(name);
}

}  // namespace speclab::testing
