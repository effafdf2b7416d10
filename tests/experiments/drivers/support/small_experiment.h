#pragma once
// An experiment of a few short generations in a folder of its own, on fake engines.

#include <memory>
#include <string>
#include <vector>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/run_experiment.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/fake_engines.h"

namespace speclab::testing {

class SmallExperiment {
 public:
  /// Two categories of two prompts, one pilot each; two temperatures; plain decoding, bigram and a
  /// tree.
  /// @param parent  where its folder is made
  explicit SmallExperiment(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());

  /// The config's text, with lines appended.
  std::string config_file(const std::string& more = "") const;
  /// The same without [axes].
  std::string config_file_without_axes(const std::string& more) const;
  experiments::Plan plan(const std::vector<std::string>& settings = {}) const;
  /// Runs in the sub-folder `name` of this folder.
  experiments::RunOutcome run(
      const experiments::Plan& plan, const std::string& name,
      std::function<void()> check_interruption = [] {}) const;
  /// The same with options, whose folder is the sub-folder's name.
  experiments::RunOutcome run(const experiments::Plan& plan, experiments::RunOptions options) const;
  /// Prepares the run `name` for shards.
  void prepare(const experiments::Plan& plan, const std::string& name) const;
  /// Measures `rows` into a shard of the run `name`, in this process.
  void measure(const experiments::Plan& plan, const std::string& name, int shard,
               const std::vector<std::size_t>& rows) const;
  /// Makes the files of the run `name`.
  void merge(const experiments::Plan& plan, const std::string& name) const;
  experiments::OpenEngines open_engines() const;
  std::string folder(const std::string& name) const { return scratch_.path(name); }
  /// A file of the run `name`.
  std::string file(const std::string& name, const std::string& file_name) const;
  /// Generations that the journal of the run `name` says were measured, each as often as it was.
  std::size_t num_measured(const std::string& name) const;
  FakeEnginesState& engines() const { return *state_; }
  int num_engine_starts() const { return *num_engine_starts_; }

 private:
  TemporaryFolder scratch_;
  std::shared_ptr<FakeEnginesState> state_ = std::make_shared<FakeEnginesState>();
  std::shared_ptr<int> num_engine_starts_ = std::make_shared<int>(0);
};

}  // namespace speclab::testing
