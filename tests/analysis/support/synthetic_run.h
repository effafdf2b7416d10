#pragma once
// A small run folder made up from a formula, so that tests know the truth behind every number.

#include <string>
#include <vector>

namespace speclab::analysis::testing {

/// A fresh folder below the system's temporary one, removed with everything in it at the end of the
/// test.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct SyntheticDrafter {
  std::string name;
  double acceptance_rate = 0.5;  ///< at temperature 0; falls by half towards temperature 1
  double draft_ns = 1e6;         ///< per round
  double law_distance = 0;       ///< of a lossy verifier; 0 is a lossless one
};

struct SyntheticRun {
  std::string kind = "decoding";
  int planned_generations = 0;  ///< where the run was interrupted
  std::vector<double> temperatures = {0.0, 0.5, 1.0};
  std::vector<SyntheticDrafter> drafters = {
      {"bigram", 0.3, 2e4}, {"prompt_lookup", 0.75, 1e4}, {"small_transformer", 0.6, 4e6}};
  std::vector<std::string> shape_models = {};  ///< beside the trained one;
                                               ///< "widened:..." is one
  int prompts_per_category = 2;
  int repetitions = 3;
  int speculation_length = 4;
  double prediction_bias = 0.95;  ///< predicted / expected walltime of speculative cells
  double pace_ratio = 1;          ///< while measuring; predictions are made at pace 1

  static constexpr double kStepNs = 9e6;        ///< target forward of plain decoding
  static constexpr double kVerifyRowsNs = 3e5;  ///< more for each drafted token
};

/// Writes manifest.toml, rows.csv, rounds.csv, times.csv, predictions.csv, texts.jsonl,
/// drafts.jsonl and timeline.csv.
void write_synthetic_run(const SyntheticRun& options, const std::string& folder);

}  // namespace speclab::analysis::testing
