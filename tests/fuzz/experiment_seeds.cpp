#include <algorithm>
#include <filesystem>
#include <sstream>

#include "experiments/drivers/journal/journal.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/fuzz/seeds.h"

namespace speclab::fuzz {
namespace {

using analysis::testing::ScratchFolder;
using speclab::testing::TemporaryFolder;

std::string project_file(const std::string& path) {
  return read_file(std::string(SPECLAB_SOURCE_DIR) + "/" + path);
}

/// The first line, and those that begin with one of the fields.
std::string chosen_lines(const std::string& text, const std::vector<std::string>& fields) {
  std::istringstream lines(text);
  std::string chosen, line;
  for (int number = 0; std::getline(lines, line); ++number)
    if (number == 0 || std::ranges::count(fields, line.substr(0, line.find(','))) > 0)
      chosen += line + "\n";
  return chosen;
}

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

void write_run(const ScratchFolder& folder) {
  analysis::testing::write_synthetic_run({.temperatures = {0.0},
                                          .drafters = {{"bigram", 0.8, 2e4}},
                                          .prompts_per_category = 1,
                                          .repetitions = 1},
                                         folder.path());
}

}  // namespace

std::vector<std::string> config_seeds() {
  std::vector<std::string> seeds;
  for (const char* name : {"quickstart", "token_trees", "rule_atlas"})
    seeds.push_back(project_file(std::string("experiments/configs/") + name + ".toml"));
  return seeds;
}

std::vector<std::string> journal_seeds() {
  const TemporaryFolder folder;
  experiments::Journal journal = experiments::Journal::open(folder.path());
  for (const char* payload : {"{\"first\":1}", "second", "{}"}) journal.append(payload);
  const std::string whole = read_file(folder.path("journal"));
  return {
      whole,
      whole.substr(0, whole.size() - 5),
      R"(row 1 0123456789abcdef-0 {"prompt_tokens": 3, "rounds": [[1, 2.5, "bonus"]]})",
      R"(pilot 1 0123456789abcdef {"rounds":[[6,2,3,2,0,1,1,"recovered",7,3,2,1]]})",
      R"(pace 1 0-0-0 {"model":"m","context":5,"forwards":{"rows":[1,2],"ns":[7.5,9.5]}})",
      R"(costs 1 - {"model":"m","kind":"draft","regime":"greedy","rows":1,"context":5,"ns":7.5,)"
      R"("interval":{"low":7.0,"high":8.0},"n":4,"passes":{"pass":[0],"ns":[7.5]}})",
      "header 1 - {}"};
}

std::vector<std::string> experiment_seeds() {
  std::vector<std::string> seeds = config_seeds();
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SPECLAB_SOURCE_DIR) +
                                                               "/experiments/configs"))
    if (entry.path().extension() == ".toml") seeds.push_back(read_file(entry.path().string()));
  seeds.push_back(
      "[experiment]\nseed = 3\n[[zip]]\ntemperature = [0.0, 1.0]\npolicy = [\"constant:2\", "
      "\"auto\"]\n[[exclude]]\ntemperature = 1.0\n[axes]\ndrafter = [\"none\", \"ngram\"]\n");
  return seeds;
}

std::string run_manifest() {
  const ScratchFolder folder;
  write_run(folder);
  return read_file(folder.file("manifest.toml"));
}

std::vector<std::string> run_folder_seeds() {
  const ScratchFolder folder;
  write_run(folder);
  std::string seed;
  for (const std::string name : kRunFiles) {
    const std::string text = read_file(folder.file(name));
    // One generation of each cell, and the text of the second, keep the seed short.
    seed += name == "texts.jsonl"       ? text.substr(text.find('\n') + 1)
            : name == "predictions.csv" ? text
                                        : chosen_lines(text, {"2", "9"});
    seed += '\0';
  }
  return {seed};
}

std::vector<std::string> table_seeds() {
  std::vector<std::string> seeds;
  for (const char* name :
       {"drafter_acceptance/acceptance.csv", "tree_acceptance/siblings.csv", "rule_atlas/atlas.csv",
        "pairs.csv", "quickstart/costs.csv", "papers/cross_tokenizer/bridges.csv"})
    seeds.push_back(first_lines(project_file(std::string("tests/golden/runs/") + name), 4));
  return seeds;
}

}  // namespace speclab::fuzz
