// scripts/measure_gpu where the project is built: pack, aside, back, travel, owed. Each test names
// the defect that it catches.

#include "tests/scripts/measure_gpu_tree.h"

namespace speclab::testing {
namespace {

using MeasureGpuHere = MeasureGpuTree;

constexpr const char* kColumns = "step,kernels,revision,device,date,seconds,outcome\n";

std::string first_word(const std::string& text) {
  return text.substr(0, text.find_first_of(" \n"));
}

/// Defect: a pack that travels in calls that the machine refuses, or whose parts of two models mix;
/// texts or a drafter stay here.
TEST_F(MeasureGpuHere, TravelTakesSeveralModelsInAsManyCallsAsTheyNeed) {
  build_programs();
  make("tree/build/corpora/prose/a.txt", "text\n");
  ASSERT_EQ(shell("truncate -s 100M ../other_2.gguf").code, 0);
  const Outcome packed = measure_gpu("pack ../other_2.gguf");
  ASSERT_EQ(packed.code, 0) << packed.output;
  const Outcome outcome =
      shell("cd / && " + path("tree/scripts/measure_gpu") + " travel 2>/dev/null");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(has(outcome.output, " MiB: build/gpu_pack/first build/gpu_pack/" + part(1)))
      << outcome.output;
  for (const std::string& folder :
       {part(12), std::string("programs"), std::string("drafter"), std::string("feature"),
        std::string("ngram"), std::string("text"), std::string("other_2_13")})
    EXPECT_TRUE(has(outcome.output, "build/gpu_pack/" + folder)) << folder;
  EXPECT_LT(outcome.output.find("gpu_pack/text"), outcome.output.find("gpu_pack/other_2_1 "));
  EXPECT_TRUE(has(outcome.output, "call 4")) << outcome.output;
  EXPECT_TRUE(has(measure_gpu("pack nothing.gguf").output, "that end in .gguf"));
}

/// Defect: limits of a call add up to more than ten minutes, those of a machine to more than
/// twenty, or a step has no place or no limit.
TEST_F(MeasureGpuHere, CallsEndWithinTenMinutesAndListsWithinTwenty) {
  make("limits.sh",
       "source scripts/lib/gpu_lists.sh\n"
       "for list in \"$first_list\" \"$second_list\"; do\n  of_list=0\n"
       "  for call in $list; do\n    of_call=0\n"
       "    for name in ${call_steps[$call]}; do of_call=$((of_call + step_limits[$name])); done\n"
       "    [ $of_call -le 540 ] || echo call $call: $of_call\n"
       "    of_list=$((of_list + of_call))\n  done\n"
       "  [ $of_list -le 1200 ] || echo list $list: $of_list\ndone\n"
       "echo ${#gpu_steps[@]} ${#step_limits[@]}\n");
  EXPECT_EQ(shell("bash ../limits.sh").output, "18 18\n");
}

/// Defect: a large file in the tree that nobody notices before the machine refuses the call.
TEST_F(MeasureGpuHere, TravelRefusesATreeThatIsTooLargeAndNamesTheFile) {
  EXPECT_EQ(measure_gpu("travel").code, 0);
  ASSERT_EQ(shell("truncate -s 70M planted.bin").code, 0);
  const Outcome outcome = measure_gpu("travel");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.output, "allowed: 60.0 MiB") &&
              has(outcome.output, "70.0 MiB  planted.bin") && has(outcome.output, ".gitignore"))
      << outcome.output;
}

/// Defect: files that do not travel, ignored ones and results/, make travel refuse; files with odd
/// names or deleted ones end it.
TEST_F(MeasureGpuHere, TravelCountsOnlyWhatTravels) {
  ASSERT_EQ(shell("mkdir build && truncate -s 70M build/ignored results/large && touch 'odd "
                  "name\n\xff' && git rm -q --cached .gitignore && git add -N . && rm "
                  "engines/cuda/kernels/a.cu && touch engines/cuda/kernels/b.cu")
                .code,
            0);
  const Outcome outcome = measure_gpu("travel");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "call 1: 0.") && has(outcome.output, "the tree alone"))
      << outcome.output;
}

/// Defect: programs of older kernels are packed under the name of the present ones.
TEST_F(MeasureGpuHere, PackRefusesProgramsOlderThanTheKernels) {
  build_programs();
  ASSERT_EQ(shell("touch -d 'next year' engines/cuda/kernels/a.cu").code, 0);
  const Outcome outcome = measure_gpu("pack");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.output, "a.cu; run scripts/build")) << outcome.output;
  EXPECT_FALSE(is_there("tree/build/gpu_pack"));
}

/// Defect: results/ comes back changed, or a second call loses it.
TEST_F(MeasureGpuHere, ResultsGoAsideAndComeBackAsTheyWere) {
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = measure_gpu("aside");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_TRUE(has(outcome.output, i == 0 ? "is now in build/results_aside" : "aside already"))
        << outcome.output;
    EXPECT_FALSE(is_there("tree/results"));
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(measure_gpu("back").code, 0);
  EXPECT_EQ(shell("git status --porcelain").output, "");
  EXPECT_FALSE(is_there("tree/build/results_aside"));
}

/// Defect: one of two results folders is overwritten.
TEST_F(MeasureGpuHere, AsideAndBackRefuseWhereBothFoldersExist) {
  ASSERT_EQ(measure_gpu("aside").code, 0);
  make("tree/results/new.csv", "new");
  for (const char* verb : {"aside", "back"}) {
    const Outcome outcome = measure_gpu(verb);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(has(outcome.output, "both results/ and build/results_aside exist"))
        << outcome.output;
  }
  EXPECT_EQ(text("tree/results/new.csv"), "new");
  EXPECT_TRUE(is_there("tree/build/results_aside/reference/table.csv"));
}

/// Defect: a pack made while results/ is aside lacks the drafters, or calls the tree dirty.
TEST_F(MeasureGpuHere, PackFindsTheDraftersAside) {
  build_programs();
  ASSERT_EQ(measure_gpu("aside").code, 0);
  const Outcome outcome = measure_gpu("pack");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(is_there("tree/build/gpu_pack/drafter/v1/config.json"));
  EXPECT_TRUE(is_there("tree/build/gpu_pack/feature/v1/config.json"));
  EXPECT_TRUE(is_there("tree/build/gpu_pack/ngram/v1/ngram.bin"));
  EXPECT_FALSE(has(text("tree/build/gpu_pack/first/revision"), "dirty"));
}

/// Defect: a row of a device does not pay its step, or a failed, an older or an emulated one does.
TEST_F(MeasureGpuHere, OwedLacksTheStepsThatADeviceDidAtTheseKernels) {
  EXPECT_EQ(first_word(measure_gpu("owed").output), "kernel_tests");
  const std::string kernels = first_word(shell("python3 scripts/lib/kernels_digest.py .").output);
  make("tree/results/reference/gpu_run/steps.csv",
       kColumns +
           ("kernel_tests," + kernels + ",r,Some Device,2026-01-01,1.0,done\nladder," + kernels +
            ",r,Some Device,2026-01-01,1.0,limit\n") +
           "passes,0123456789abcdef,r,Some Device,2026-01-01,1.0,done\nopt," + kernels +
           ",r,emulated,2026-01-01,1.0,done\n");
  const std::string before = measure_gpu("owed").output;
  EXPECT_TRUE(has(before, "not committed as it stands") && has(before, "kernel_tests\n")) << before;
  ASSERT_EQ(shell("git add . && git -c user.name=n -c user.email=e commit -q -m rows").code, 0);
  const std::string rest =
      "ceilings\npasses\nkernels\nncu\ndevice_tests\ngenerate\ntemperature\nmodel_size\n"
      "sanitizer\npeers\ntrain_feature\nhost_layers\nfamilies\nopt\nproducts\ntraining\n"
      "ladder\n";
  EXPECT_EQ(measure_gpu("owed").output, rest);
  ASSERT_EQ(measure_gpu("aside").code, 0);
  EXPECT_EQ(measure_gpu("owed").output, rest);
}

/// Defect: a formatter or a comment makes every measurement owed again, or an edit of a kernel does
/// not.
TEST_F(MeasureGpuHere, KernelsKeepTheirNameUnderWhiteSpaceAndCommentsOnly) {
  const auto digest = [&](const std::string& code) {
    make("tree/engines/cuda/kernels/a.cu", code);
    return shell("python3 scripts/lib/kernels_digest.py .").output;
  };
  const std::string present =
      digest("int f() { return 1'000; }  // 'a'\nconst char* s = \"//x\";\n");
  EXPECT_EQ(present.size(), 17u);
  EXPECT_EQ(digest("/* new\n comment */ int f()\n{\n  return 1'000;\n}\nconst char* s = \"/\"\n    "
                   "\"/x\"; // it's\n"),
            present);
  EXPECT_NE(digest("int f() { return 1'001; }  // 'a'\nconst char* s = \"//x\";\n"), present);
  EXPECT_NE(digest("int f() { return 1'000; }  // 'a'\nconst char* s = \"//y\";\n"), present);
}

/// Defect: an edit of a header that kernels include leaves their name as it was.
TEST_F(MeasureGpuHere, KernelsAreNamedByTheHeadersThatTheyInclude) {
  make("tree/engines/cuda/kernels/b.cu", "#include \"engines/cuda/outer.h\"\n");
  make("tree/engines/cuda/outer.h", "#include \"engines/cuda/layout.h\"\n");
  const auto with = [&](const char* layout) {
    make("tree/engines/cuda/layout.h", layout);
    return shell("python3 scripts/lib/kernels_digest.py .").output;
  };
  const std::string present = with("constexpr int kRows = 16;\n");
  EXPECT_EQ(present.size(), 17u) << present;
  EXPECT_EQ(with("// rows\nconstexpr int kRows = 16;\n"), present);
  EXPECT_NE(with("constexpr int kRows = 32;\n"), present);
}

/// Defect: a damaged row is passed over, so that what was done seems owed, or the other way round.
TEST_F(MeasureGpuHere, OwedRefusesADamagedRow) {
  for (const char* row : {"ladder,k,r,D,2026-01-01,1.0\n", "ladder,k,r,D,2026-01-01,1.0,do\n",
                          "ladder,k,r,D,2026-01-01,1.0,done,more\n", "\xff\xfe\n"}) {
    make("tree/results/reference/gpu_run/steps.csv", std::string(kColumns) + row);
    const Outcome outcome = measure_gpu("owed");
    EXPECT_EQ(outcome.code, 3) << outcome.output;
    EXPECT_TRUE(has(outcome.output, "gpu_run/steps.csv") && !has(outcome.output, "Traceback"))
        << outcome.output;
  }
}

/// Defect: a damaged table of a committed run counts as nothing, without a word.
TEST_F(MeasureGpuHere, OwedRefusesATableOfOtherColumns) {
  make("tree/results/reference/gpu_run/steps.csv", "step,outcome\n");
  const Outcome outcome = measure_gpu("owed");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(
      has(outcome.output, "steps.csv:1: the columns are step,outcome; allowed: step,kernels"))
      << outcome.output;
}

/// Defect: a committed table whose numbers are another row's, or a prediction beside the wrong
/// pass.
TEST_F(MeasureGpuHere, TablesHaveThePredictionAndTheShareOfTheirRow) {
  const std::string header = "revision,device,what,shape,rows,unit,value,low,high,n,ideal\n";
  make("tree/rows/gpu_bench_passes.csv",
       header +
           "r,D,pass at context 512,s,1,ms,2,1,3,9,0.5\nr,D,pass at context 512 with weights "
           "streamed,s,1,ms,4,3,5,9,0.5\n");
  make("tree/rows/gpu_bench_host_layers.csv",
       header +
           "r,D,copy of a layer,s,0,GB/s,50,49,51,9,0\nr,D,pass with layers from the host at "
           "context 512,s,1,ms,8,7,9,9,6\n");
  make("tree/rows/gpu_bench_ladder.csv",
       header +
           "r,D,ladder V0: a,shape-s qkv,1,GB/s,10,9,11,9,0\nr,D,ladder V0: a,shape-s "
           "head,1,GB/s,20,9,11,9,0\nr,D,mean of ladder V0: a,all,1,GB/s,14,9,11,2,0\n");
  make("tree/rows/gpu_bench_kernels.csv",
       header +
           "r,D,kernels at context 512: all,s,1,ms,2,1,3,9,0\nr,D,kernels at context 512: without "
           "qkv,s,1,ms,1.5,1,3,9,0\n" +
           "r,D,kernels at context 512: qkv alone,s,1,ms,0.25,0.1,0.3,9,0\n");
  make("tree/predictions.csv",
       header +
           "r,D,predicted pass at context 512,s,1,ms,2.5,1,6,0,0.5\nr,D,predicted pass at context "
           "512,s,2,ms,7,1,6,0,0.5\nr,D,predicted pass with layers from the host at context "
           "512,s,1,ms,8.5,8,30,0,6\n");
  const Outcome outcome = shell("python3 scripts/lib/gpu_tables.py rows predictions.csv tables");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output,
            "no ncu_metrics.csv, so no table of it\nno "
            "gpu_bench_ceilings.csv, so no table of it\n");
  EXPECT_TRUE(has(text("tree/tables/passes.csv"),
                  "r,D,pass at context 512,s,1,2,1,3,9,0.5,2.5,1,6\nr,D,pass at context 512 with "
                  "weights streamed,s,1,4,3,5,9,0.5,,,\n"))
      << text("tree/tables/passes.csv");
  EXPECT_TRUE(
      has(text("tree/tables/host_layers.csv"),
          "r,D,copy of a layer,s,0,50,49,51,9,0,,,,GB/s\nr,D,pass with layers from the host "
          "at context 512,s,1,8,7,9,9,6,8.5,8,30,ms\n"))
      << text("tree/tables/host_layers.csv");
  EXPECT_EQ(text("tree/tables/ladder.csv"), "device,rows,variant,s qkv,s head\nD,1,V0: a,10,20\n");
  EXPECT_EQ(text("tree/tables/kernels.csv"),
            "device,shape,context,rows,kernel,alone_us,left_out_us,pass_us\nD,s,512,1,qkv,250,500,"
            "2000\n");
  make("tree/rows/gpu_bench_kernels.csv", header + "r,D,pass at context 512,s,1,ms,2,1,3,9,0\n");
  const Outcome other = shell("python3 scripts/lib/gpu_tables.py rows predictions.csv tables");
  EXPECT_EQ(other.code, 3);
  EXPECT_TRUE(
      has(other.output,
          "gpu_bench_kernels.csv:2: 'pass at context 512'; allowed: kernels at context N: ..."))
      << other.output;
}

/// Defect: a wrong word is passed over, or the help does not name a step.
TEST_F(MeasureGpuHere, SaysWhatIsAllowed) {
  for (const char* arguments : {"--call 8", "--call", "--call 1 ladder", "--seconds x", "cuts",
                                "travel now", "ladder pack", "--bogus"}) {
    const Outcome outcome = measure_gpu(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.output;
  }
  EXPECT_TRUE(has(measure_gpu("--call 8").output, "--call '8'; allowed: 1 to 7"));
  const std::string help = measure_gpu("--help").output;
  const std::string steps = shell("scripts/measure_gpu owed | paste -sd' '").output;
  EXPECT_TRUE(has(help, "STEP: " + steps)) << help;
}

}  // namespace
}  // namespace speclab::testing
