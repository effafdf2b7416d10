// scripts/measure_gpu on a machine with a device, with stub programs in the pack. Each test names
// the defect that it catches.

#include "tests/scripts/measure_gpu_tree.h"

namespace speclab::testing {
namespace {

class MeasureGpuCalls : public MeasureGpuTree {
 protected:
  void SetUp() override {
    MeasureGpuTree::SetUp();
    program("gpu_bench",
            "#!/bin/bash\necho \"a row of $2\" | tee \"$1\"\nhang() { exec -a \"$0 hangs\" sleep "
            "3600; }\n"
            "[[ \"$STUB_HANGS\" != *$2* ]] || { trap '' TERM; hang & hang; }\n[[ \"$STUB_ESCAPES\" "
            "!= *$2* ]] || { export -f hang; setsid bash -c hang \"$0\" & }\n");
    program("kernels_cuda_test",
            "#!/bin/bash\necho '[  PASSED  ] 3 tests.'\nexit ${STUB_TESTS:-0}\n");
    const std::string first = "tree/build/gpu_pack/first/";
    make(first + "revision", "abc\n");
    make(first + "kernels", "0123456789abcdef\n");
    make(first + "source_folder", path("tree") + "\n");
    make(first + "models", model_name() + "\n");
    ASSERT_EQ(
        shell("truncate -s 20M ../cache/models/*; split -b 8M ../cache/models/" + model_name() +
              " build/part_; n=0; for file in build/part_*; do n=$((n + 1)); " +
              "mkdir build/gpu_pack/" + part_of("$n") + "; mv $file build/gpu_pack/" +
              part_of("$n") + "/part; done; cd build/gpu_pack; sha256sum " + part_of("*") +
              "/part >first/model_parts.sha256; rm ../../../cache/models/*")
            .code,
        0);
  }
  static std::string part_of(const std::string& number) {
    return "smollm2-135m-instruct-q4_1_" + number;
  }

  /// Into the archive of a packed folder.
  void program(const std::string& name, const std::string& script,
               const std::string& folder = "first") const {
    make("programs/" + folder + "/" + name, script);
    ASSERT_EQ(shell("chmod +x ../programs/*/*; mkdir -p build/gpu_pack/" + folder +
                    "; tar -C ../programs/" + folder + " -czf build/gpu_pack/" + folder +
                    "/programs.tar.gz .")
                  .code,
              0);
    if (folder != "first")
      make("tree/build/gpu_pack/" + folder + "/kernels", text("tree/build/gpu_pack/first/kernels"));
  }

  /// The tree travels without results/.
  void pack_drafters() const {
    ASSERT_EQ(shell("mv results/models/smollm2-drafter build/gpu_pack/drafter && mv "
                    "results/models/smollm2-feature build/gpu_pack/feature && mv "
                    "results/models/smollm2-5gram build/gpu_pack/ngram && rm -r results")
                  .code,
              0);
  }

  Outcome call(const std::string& arguments, const std::string& settings = "") const {
    return measure_gpu(arguments, "OUT=" + path("out") + " " + settings);
  }
  std::string steps() const {
    return shell("cut -d, -f1,7 build/gpu_rows/steps.csv | tail -n +2 | paste -sd' '").output;
  }
  std::string num_hanging() const {
    return shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o '" +
                 path("tree/build/gpu_unpacked/first/gpu_bench") + " [h]angs' | wc -l")
        .output;
  }
  std::string archived() const {
    return shell("ls ../out | paste -sd' '; tar -tzf ../out/gpu_rows.tar.gz").output;
  }
};

/// Defect: a step that hangs, its children and a program that ignores TERM take the rest of the
/// call with them.
TEST_F(MeasureGpuCalls, AStepThatHangsEndsAtItsLimitAndTheRestRun) {
  const Outcome outcome =
      call("ceilings ladder passes",
           "STUB_HANGS=ladder SPECLAB_PLANTED_HANG=ladder SPECLAB_STEP_LIMIT=2");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_EQ(steps(), "ceilings,done ladder,limit passes,done\n") << outcome.output;
  EXPECT_EQ(num_hanging(), "0\n");
  EXPECT_TRUE(has(archived(), "./gpu_bench_ladder.csv.part") &&
              has(archived(), "./gpu_bench_passes.csv\n"))
      << archived();
}

/// Defect: rows get the name of kernels that did not run, since a pack came half or from two
/// builds.
TEST_F(MeasureGpuCalls, RefusesAPackThatIsNotWholeOrOfTwoBuilds) {
  program("llama_cuda_test", "#!/bin/bash\n", "programs");
  make("tree/build/gpu_pack/programs/kernels", "fedcba9876543210\n");
  EXPECT_TRUE(has(call("ceilings").output, "are of different packs"));
  make("tree/build/gpu_pack/programs/kernels", text("tree/build/gpu_pack/first/kernels"));
  make("tree/build/gpu_pack/first/kernels", "");
  const Outcome outcome = call("ceilings");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.output, "first/kernels is missing or empty")) << outcome.output;
}

/// Defect: a process that nothing can end, as a dead device may leave one, holds the lock or the
/// output, so that no further call runs.
TEST_F(MeasureGpuCalls, AProcessThatOutlivesItsStepStopsNoOtherCall) {
  EXPECT_EQ(call("ceilings", "STUB_ESCAPES=ceilings").code, 0);
  EXPECT_EQ(num_hanging(), "1\n");
  const Outcome next = call("passes");
  EXPECT_EQ(next.code, 0) << next.output;
  EXPECT_EQ(shell("for process in $(grep -s -l -z -F '" +
                  path("tree/build/gpu_unpacked/first/gpu_bench") +
                  " hangs' /proc/[0-9]*/cmdline | cut -d/ -f3); do kill $process; done")
                .output,
            "");
  for (int tries = 0; tries < 100 && num_hanging() != "0\n"; ++tries)
    shell("sleep 0.1");  // a busy machine takes its time to end it
  EXPECT_EQ(num_hanging(), "0\n");
}

/// Defect: without the limit of the tests' variable a planted hang of a step that is no bench would
/// not end.
TEST_F(MeasureGpuCalls, APlantedHangOfTestsEndsToo) {
  EXPECT_EQ(
      call("kernel_tests ceilings", "SPECLAB_PLANTED_HANG=kernel_tests SPECLAB_STEP_LIMIT=1").code,
      1);
  EXPECT_EQ(steps(), "kernel_tests,limit ceilings,done\n");
}

/// Defect: steps go on over a device that hangs, or what was measured before is lost.
TEST_F(MeasureGpuCalls, ADeviceThatDoesNotAnswerEndsTheCallWithItsRowsPacked) {
  const Outcome outcome =
      call("ceilings ladder passes", "SPECLAB_PLANTED_HANG=ladder,probe SPECLAB_STEP_LIMIT=1");
  EXPECT_EQ(outcome.code, 9) << outcome.output;
  EXPECT_TRUE(has(outcome.output,
                  "ladder hit its limit, and then the device did not answer a probe within 5 s"))
      << outcome.output;
  EXPECT_EQ(steps(), "ceilings,done ladder,limit\n");
  for (const char* file : {"gpu_rows.tar.gz\n", "./steps.csv", "./gpu_bench_ceilings.csv\n",
                           "./gpu_bench_ladder.csv.part"})
    EXPECT_TRUE(has(archived(), file)) << file;
}

/// Defect: more than one file comes back, or a step that was done is done again.
TEST_F(MeasureGpuCalls, AnArchiveIsOneFileAndWhatIsDoneIsNotRepeated) {
  EXPECT_EQ(call("ceilings passes").code, 0);
  EXPECT_EQ(archived().substr(0, 16), "gpu_rows.tar.gz\n");
  EXPECT_TRUE(
      has(text("tree/build/gpu_rows/steps.csv"), "ceilings,0123456789abcdef,abc,Some Device,2"))
      << text("tree/build/gpu_rows/steps.csv");
  const Outcome again = call("ceilings passes kernels");
  EXPECT_TRUE(has(again.output, "ceilings      done before")) << again.output;
  EXPECT_EQ(steps(), "ceilings,done passes,done kernels,done\n");
}

/// Defect: a failed step passes for done, or stops those behind it; the last lines do not say which
/// it was.
TEST_F(MeasureGpuCalls, AFailedStepIsNamedAndTheRestRun) {
  const Outcome outcome = call("kernel_tests ceilings", "STUB_TESTS=1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(steps(), "kernel_tests,failed ceilings,done\n");
  const std::size_t table = outcome.output.find("step          outcome       seconds\n");
  ASSERT_NE(table, std::string::npos) << outcome.output;
  EXPECT_TRUE(has(outcome.output.substr(table), "kernel_tests  failed")) << outcome.output;
}

/// Defect: skipped tests, or a program without tests, pass for a device that was tested.
TEST_F(MeasureGpuCalls, ASkippedTestIsAFailure) {
  for (const auto& [said, code] :
       {std::pair("[  SKIPPED ] A.B", 9),
        std::pair("[==========] Running 0 tests from 0 test suites.", 1)}) {
    program("kernels_cuda_test", std::string("#!/bin/bash\necho '") + said + "'\n");
    const Outcome outcome = call("kernel_tests");
    EXPECT_TRUE(has(outcome.output, "kernel_tests: ended with " + std::to_string(code)))
        << outcome.output;
  }
}

/// Defect: a step without its model counts as failed, or a model with a damaged part is used.
TEST_F(MeasureGpuCalls, TheModelIsJoinedOnceAllPartsAreWhole) {
  program("llama_cuda_test", "#!/bin/bash\necho '[  PASSED  ] 3 tests.'\n", "programs");
  ASSERT_EQ(shell("cd build/gpu_pack; mv " + part_of("2") + " ../..; mv " + part_of("3") +
                  "/part ../../whole; echo damaged >" + part_of("3") + "/part")
                .code,
            0);
  const Outcome early = call("device_tests");
  EXPECT_EQ(early.code, 0) << early.output;
  EXPECT_TRUE(has(early.output, "device_tests: left out, the model is not whole; parts not here: " +
                                    part_of("2") + " " + part_of("3")))
      << early.output;
  EXPECT_FALSE(is_there("tree/build/gpu_rows/steps.csv"));
  ASSERT_EQ(shell("mv " + part_of("2") + " build/gpu_pack/; mv whole build/gpu_pack/" +
                  part_of("3") + "/part")
                .code,
            0);
  EXPECT_EQ(call("device_tests").code, 0);
  EXPECT_EQ(std::filesystem::file_size(path("cache/models/" + model_name())),
            std::uintmax_t{20} << 20);
  EXPECT_EQ(steps(), "device_tests,done\n");
}

/// Defect: programs do not find the drafters, since the tree travels without results/.
TEST_F(MeasureGpuCalls, TheDraftersStandWhereProgramsLook) {
  pack_drafters();
  EXPECT_EQ(call("ceilings").code, 0);
  EXPECT_TRUE(is_there("tree/results/models/smollm2-drafter/v1/config.json"));
  EXPECT_TRUE(is_there("tree/results/models/smollm2-5gram/v1/ngram.bin"));
}

/// Defect: rows over temperature lack a drafter, or the step begins before all drafters have come.
TEST_F(MeasureGpuCalls, TheTemperatureStepMeasuresDraftsOfTheHostToo) {
  program("speclab", "#!/bin/bash\necho \"ran $(basename \"$2\")\"\n", "programs");
  pack_drafters();
  for (const char* name : {"feature", "ngram"}) {
    ASSERT_EQ(shell(std::string("mv build/gpu_pack/") + name + " ..").code, 0);
    EXPECT_TRUE(has(call("temperature").output,
                    std::string("temperature: left out, build/gpu_pack/") + name + " is not here"));
    ASSERT_EQ(shell(std::string("mv ../") + name + " build/gpu_pack/").code, 0);
  }
  const Outcome outcome = call("temperature");
  EXPECT_TRUE(has(outcome.output, "ran gpu_drafters_vs_temperature.toml")) << outcome.output;
  EXPECT_EQ(steps(), "temperature,done\n");
}

/// Defect: rows and the checkpoint of a step that runs are lost where the machine ends the call.
TEST_F(MeasureGpuCalls, ACallThatIsKilledLeavesItsRowsAndTheCheckpoint) {
  program("speclab",
          "#!/bin/bash\n[ \"$1\" = train ] && mkdir -p \"$4/v1\" && echo weights "
          ">\"$4/v1/checkpoint.bin\"\nfor ((i = 0; i < 300; ++i)); do [ -e "
          "\"$OUT/checkpoint.sha256\" ] || sleep 0.1; done\nparent() { awk '{print $4}' "
          "/proc/$1/stat; }\nkill -KILL $(parent $(parent $PPID))\n",
          "programs");
  pack_drafters();
  make("tree/build/corpora/prose/a.txt", "text\n");
  ASSERT_EQ(shell("mkdir build/gpu_pack/text && tar -czf build/gpu_pack/text/text.tar.gz "
                  "build/corpora/prose/a.txt && rm -r build/corpora")
                .code,
            0);
  const Outcome outcome = call("ceilings train_feature", "SPECLAB_PACK_SECONDS=1");
  EXPECT_NE(outcome.code, 0) << outcome.output;
  EXPECT_FALSE(has(text("tree/build/gpu_rows/steps.csv"), "train_feature")) << outcome.output;
  EXPECT_EQ(text("tree/build/corpora/prose/a.txt"), "text\n");
  EXPECT_EQ(text("out/checkpoint_aa"), "weights\n");
  EXPECT_TRUE(has(shell("sha256sum <../out/checkpoint_aa").output, text("out/checkpoint.sha256")));
  EXPECT_TRUE(has(archived(), "./train_feature.log") && has(archived(), "gpu_bench_ceilings.csv"))
      << archived();
}

/// Defect: a training that its time ended counts as failed, or one that left nothing as done.
TEST_F(MeasureGpuCalls, AnInterruptedTrainingIsDoneIfItLeftACheckpoint) {
  make("programs/speclab",
       "#!/bin/bash\ntrap 'exit 130' INT\n[ -z \"$LEFT\" ] || { mkdir -p \"$4/v1\"; touch "
       "\"$4/v1/$LEFT\"; }\nsleep 9 >/dev/null 2>&1 & wait\n");
  make("train.sh",
       "source scripts/lib/gpu_text_steps.sh; speclab_root=. rehearse=no programs=../programs "
       "output=../rows train_seconds=1; train_feature\n");
  ASSERT_EQ(shell("chmod +x ../programs/speclab").code, 0);
  const Outcome without = shell("bash ../train.sh");
  EXPECT_TRUE(without.code == 1 && has(without.output, "left neither a checkpoint nor a drafter"))
      << without.output;
  EXPECT_EQ(shell("LEFT=checkpoint.bin bash ../train.sh").code, 0);
}

/// Defect: a call runs what belongs to another, or a step that failed takes the time of those
/// behind it once more.
TEST_F(MeasureGpuCalls, ACallBeginsWithWhatIsUndoneAndEndsWithWhatFailed) {
  make("bin/ncu", "#!/bin/bash\nexit 1\n");
  make("bin/compute-sanitizer", "#!/bin/bash\nexit 0\n");
  ASSERT_EQ(shell("chmod +x ../bin/*; rm -r build/gpu_pack/" + part_of("1")).code, 0);
  EXPECT_EQ(call("--call 5").code, 1) << "ncu failed";
  EXPECT_EQ(steps(),
            "kernel_tests,done sanitizer,done ceilings,done passes,done kernels,done ncu,failed\n");
  ASSERT_EQ(shell("rm build/gpu_rows/steps.csv").code, 0);
  EXPECT_EQ(call("--call 1", "SPECLAB_PLANTED_HANG=passes SPECLAB_STEP_LIMIT=1").code, 1);
  EXPECT_EQ(call("--call 2").code, 1);
  EXPECT_EQ(steps(),
            "kernel_tests,done ceilings,done passes,limit kernels,done ncu,failed passes,done "
            "ncu,failed\n");
  ASSERT_EQ(shell("rm build/gpu_rows/steps.csv").code, 0);
  EXPECT_EQ(call("--call 7").code, 0);
  EXPECT_EQ(steps(), "host_layers,done opt,done products,done ladder,done\n");
}

/// Defect: a call that is ended from outside leaves processes behind, or loses its rows.
TEST_F(MeasureGpuCalls, ASignalEndsTheStepAndPacks) {
  const Outcome outcome =
      call("ceilings ladder", "SPECLAB_PLANTED_HANG=ladder timeout --foreground 4");
  EXPECT_EQ(outcome.code, 124) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "ended by a signal")) << outcome.output;
  EXPECT_TRUE(has(archived(), "./gpu_bench_ladder.csv.part")) << archived();
}

/// Defect: an archive that is larger than what comes back from the machine.
TEST_F(MeasureGpuCalls, TheLargestLogsStayOutOfAnArchiveThatWouldBeTooLarge) {
  ASSERT_EQ(shell("mkdir rows; head -c 300000 /dev/urandom >rows/large.txt; head -c 200000 "
                  "/dev/urandom >rows/table.csv; head -c 20000 /dev/urandom >rows/small.txt")
                .code,
            0);
  const Outcome outcome =
      shell("python3 scripts/lib/gpu_archive.py rows ../out/gpu_rows.tar.gz 250000");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "large.txt: left out")) << outcome.output;
  EXPECT_EQ(archived(), "gpu_rows.tar.gz\n./small.txt\n./table.csv\n");
  EXPECT_LE(std::filesystem::file_size(path("out/gpu_rows.tar.gz")), 250000u);
}

/// Defect: metrics under another name or with thousands separators are lost; a table without
/// kernels passes.
TEST_F(MeasureGpuCalls, AProfileIsReducedToNamedMetrics) {
  make("raw.csv",
       "==PROF== Connected\n\"ID\",\"Kernel "
       "Name\",\"launch__registers_per_thread\",\"unknown__metric\",\"smsp__average_warps_issue_"
       "stalled_barrier_per_issue_active.ratio\",\"dram__bytes_read.sum\"\n"
       "\"\",\"\",\"register/"
       "thread\",\"\",\"inst\",\"byte\"\n\"0\",\"product(int)\",\"96\",\"1\",\"0.5\",\"1,234,"
       "567\"\n");
  EXPECT_EQ(shell("python3 scripts/lib/gpu_profile.py ../raw.csv ../metrics.csv").code, 0);
  EXPECT_EQ(
      text("metrics.csv"),
      "launch,kernel,metric,unit,value\n0,product(int),dram__bytes_read.sum,byte,1234567\n0,"
      "product(int),launch__registers_per_thread,register/thread,96\n"
      "0,product(int),smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio,inst,0.5\n");
  make("raw.csv", "==WARNING== No kernels were profiled.\n");
  const Outcome outcome = shell("python3 scripts/lib/gpu_profile.py ../raw.csv ../metrics.csv");
  EXPECT_TRUE(outcome.code == 1 && has(outcome.output, "No kernels were profiled"))
      << outcome.output;
}

}  // namespace
}  // namespace speclab::testing
