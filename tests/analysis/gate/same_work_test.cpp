#include "analysis/gate/count_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/analysis/support/gated_run.h"

namespace speclab::analysis {
namespace {

using testing::GatedRun;
using testing::made_up;
using testing::set_config;
using testing::set_provenance;

const GatedRun kGreedy{.temperature = 0, .prompts = 4};

bool tells(const std::vector<std::string>& differences, const std::string& part) {
  for (const std::string& difference : differences)
    if (difference.find(part) != std::string::npos) return true;
  return false;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

TEST(SameWork, IsThatOfARunAndItsLike) {
  const analysis::Run base = made_up(kGreedy);
  EXPECT_EQ(joined(work_differences(base, made_up(kGreedy))), "");
  EXPECT_EQ(joined(origin_differences(base.manifest, made_up(kGreedy).manifest)), "");
  EXPECT_EQ(row_pairs(base, base).size(), base.generations.size());
}

struct Change {
  const char* told;
  std::function<void(Run&)> make;
};

TEST(SameWork, IsNotThatOfOtherPromptsSettingsTextsOrModels) {
  const Change changes[] = {
      {"prompts.set: core, pilot",
       [](analysis::Run& run) { set_config(run, "prompts.set", "pilot"); }},
      {"prompts.ignore_eos: true, false",
       [](analysis::Run& run) { set_config(run, "prompts.ignore_eos", "false"); }},
      {"sampling.top_k: 0, 40",
       [](analysis::Run& run) { set_config(run, "sampling.top_k", "40"); }},
      {"experiment.repetitions: 1, 2",
       [](analysis::Run& run) { set_config(run, "experiment.repetitions", "2"); }},
      {"experiment.plain_repetitions: none, 8",
       [](analysis::Run& run) {
         run.manifest.config.emplace_back("experiment.plain_repetitions", "8");
       }},
      {"verification.lenience: none, 0.8",
       [](analysis::Run& run) {
         run.manifest.config.emplace_back("verification.lenience", "0.8");
       }},
      {"target.rounds: none, device",
       [](analysis::Run& run) { run.manifest.config.emplace_back("target.rounds", "device"); }},
      {"prompts_sha256: one, other",
       [](analysis::Run& run) { set_provenance(run, "prompts_sha256", "other"); }},
      {"target base: abc, xyz", [](analysis::Run& run) { run.manifest.models[0].sha256 = "xyz"; }},
      {"1 rows differ in tokens of the prompt, first cell 'drafter_0', prompt prompt_3, repetition "
       "0: 1, 7",
       [](analysis::Run& run) { run.generations.back().prompt_tokens = 7; }},
      {"1 rows differ in tokens emitted",
       [](analysis::Run& run) { --run.generations.back().output_tokens; }},
      {"1 rows differ in why they stop",
       [](analysis::Run& run) { run.generations.back().stop_reason = "end_of_sequence"; }},
      {"1 rows differ in text at temperature 0",
       [](analysis::Run& run) { run.generations.back().output_hash = "ffffffffffffffff"; }},
      {"head: 1 greedy outputs are not those of plain decoding",
       [](analysis::Run& run) { run.generations.back().output_hash = "ffffffffffffffff"; }},
      {"8 rows of the base and 7 of the head, of which 7",
       [](analysis::Run& run) { run.generations.pop_back(); }},
      {"8 rows of the base and 8 of the head, of which 7",
       [](analysis::Run& run) { run.generations.back().prompt_id = "other"; }},
      {"head: 1 of its 2 sections are of another origin",
       [](analysis::Run& run) {
         run.manifest.sections.resize(2);
         run.manifest.sections.back().differs = {"dtype: was float32, now bfloat16"};
       }},
      {"head: 8 of 9 generations",
       [](analysis::Run& run) { run.manifest.planned_generations = 9; }},
      {"head: generations failed", [](analysis::Run& run) { run.failures["drafter_0"] = 1; }}};
  const analysis::Run base = made_up(kGreedy);
  for (const Change& change : changes) {
    analysis::Run head = made_up(kGreedy);
    change.make(head);
    EXPECT_TRUE(tells(work_differences(base, head), change.told))
        << change.told << " is not among\n"
        << joined(work_differences(base, head));
  }
}

/// A run of an older revision does not tell the digest of config.json.
TEST(SameWork, ComparesConfigsOfModelsWhereBothRunsTellThem) {
  analysis::Run base = made_up(kGreedy), head = made_up(kGreedy);
  head.manifest.models[0].config_sha256 = "xyz";
  EXPECT_EQ(joined(work_differences(base, head)), "");
  base.manifest.models[0].config_sha256 = std::string(kNotRecorded);
  EXPECT_EQ(joined(work_differences(base, head)), "");
  base.manifest.models[0].config_sha256 = "uvw";
  EXPECT_TRUE(tells(work_differences(base, head),
                    "target base: abc with config.json uvw, abc with config.json xyz"))
      << joined(work_differences(base, head));
}

/// Plain decoding was repeated more often than its rivals, once with another text.
TEST(SameWork, LooksAtEveryTextOfPlainDecodingThatAGreedyOneIsComparedWith) {
  analysis::Run run = made_up(kGreedy);
  run.manifest.repetitions = 1;
  Generation plain =
      *std::ranges::find_if(run.generations, [](const Generation& g) { return g.axes.is_plain(); });
  plain.repetition = 1;
  run.generations.push_back(plain);
  EXPECT_FALSE(tells(work_differences(run, run), "greedy outputs"))
      << joined(work_differences(run, run));
  run.generations.back().output_hash = "ffffffffffffffff";
  EXPECT_TRUE(
      tells(work_differences(run, run), "head: 1 greedy outputs are not those of plain decoding"))
      << joined(work_differences(run, run));
}

TEST(SameWork, IsThatOfARunWhoseConfigWasEdited) {
  analysis::Run head = made_up(kGreedy);
  head.manifest.sections.resize(2);
  EXPECT_TRUE(work_differences(made_up(kGreedy), head).empty())
      << joined(work_differences(made_up(kGreedy), head));
}

TEST(SameWork, NeedsToKnowWhereBothRunsComeFrom) {
  for (const std::string key : {"flags", "blas", "governor", "driver"}) {
    analysis::Run head = made_up(kGreedy);
    set_provenance(head, key, std::string(kNotRecorded));
    EXPECT_TRUE(
        tells(work_differences(made_up(kGreedy), head), "head: its manifest does not say " + key));
    EXPECT_TRUE(
        tells(work_differences(head, made_up(kGreedy)), "base: its manifest does not say " + key));
  }
}

TEST(SameWork, LeavesSampledTextsToDiffer) {
  EXPECT_EQ(joined(work_differences(made_up({.chance = 1, .prompts = 4}),
                                    made_up({.chance = 2, .prompts = 4}))),
            "");
}

TEST(SameWork, DoesNotAskForTheTextOfForcedAcceptance) {
  analysis::Run base = made_up(kGreedy), head = made_up(kGreedy);
  for (analysis::Run* run : {&base, &head}) run->generations.back().forced_acceptance = true;
  head.generations.back().output_hash = "ffffffffffffffff";
  EXPECT_EQ(joined(work_differences(base, head)), "");
}

/// Defect: a run of an earlier revision, whose manifest has an entry that is gone, is no base.
TEST(Origin, IsTheSameWithAnEntryThatChangesNothing) {
  const analysis::Run head = made_up(kGreedy);
  analysis::Run base = head;
  base.manifest.entries.emplace_back("arithmetic", "row_invariant");
  EXPECT_EQ(joined(origin_differences(base.manifest, head.manifest)), "");
  EXPECT_EQ(joined(work_differences(base, head)), "");
}

TEST(Origin, SaysWhatMayMakeCountsDiffer) {
  const Change changes[] = {
      {"machine: a made-up machine, another",
       [](analysis::Run& run) { set_provenance(run, "machine", "another"); }},
      {"dtype: one, float32", [](analysis::Run& run) { set_provenance(run, "dtype", "float32"); }},
      {"kernels: one, avx2", [](analysis::Run& run) { set_provenance(run, "kernels", "avx2"); }},
      {"seed: one, 2", [](analysis::Run& run) { set_provenance(run, "seed", "2"); }},
      {"axes.policy: constant:4, auto",
       [](analysis::Run& run) { set_config(run, "axes.policy", "auto"); }},
      {"drafters.mine.model: none, folder",
       [](analysis::Run& run) {
         run.manifest.config.emplace_back("drafters.mine.model", "folder");
       }},
      {"drafter drafter_0: def, xyz",
       [](analysis::Run& run) { run.manifest.models[1].sha256 = "xyz"; }}};
  const analysis::Run base = made_up(kGreedy);
  for (const Change& change : changes) {
    analysis::Run head = made_up(kGreedy);
    change.make(head);
    EXPECT_EQ(joined(origin_differences(base.manifest, head.manifest)),
              std::string(change.told) + "\n");
    EXPECT_EQ(joined(work_differences(base, head)), "") << change.told;
  }
}

TEST(Origin, DoesNotMindAnotherRevisionOrOtherThreads) {
  analysis::Run head = made_up(kGreedy);
  for (const char* key : {"revision", "threads", "governor", "compiler", "flags"})
    set_provenance(head, key, "other");
  EXPECT_EQ(joined(origin_differences(made_up(kGreedy).manifest, head.manifest)), "");
}

}  // namespace
}  // namespace speclab::analysis
