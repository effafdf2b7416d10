#pragma once
// Bare forwards of a target: what they cost over rows and contexts, and how fast the machine is
// while generations are measured, against when the cost surface was.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/costs.h"
#include "engines/interface/language_model.h"
#include "experiments/drivers/journal/run_entries.h"
#include "sim/core/setting.h"

namespace speclab::experiments {

/// Times bare forwards of one model on top of one context.
class ForwardTimer {
 public:
  /// @param context   tokens in the cache, which repeat `tokens`
  /// @param max_rows  of any forward to be timed
  ForwardTimer(engines::LanguageModel& model, int context, int max_rows, std::vector<Token> tokens);

  /// A chain of `rows` rows, of which none is committed.
  double forward_ns(int rows);

 private:
  std::vector<engines::ForwardRow> chain(int rows) const;
  void commit(int rows);

  engines::LanguageModel& model_;
  std::vector<Token> tokens_;
  std::unique_ptr<engines::KvCache> cache_;
  std::int32_t slot_;
};

class Workbench;
struct LoadedPlan;

/// Tokens of the shortest and of the longest measured prompt that the model reads.
std::pair<int, int> prompt_lengths(const LoadedPlan& loaded, const std::string& model);

/// Times one target over every number of rows that the plan's rounds can have, at the first, middle
/// and last context that its generations pass through.
class ForwardCosts {
 public:
  /// @param loaded  a model of the plan, as it is loaded
  ForwardCosts(Workbench& bench, const Setting& loaded);

  std::size_t num_contexts() const { return timers_.size(); }
  int context(std::size_t which) const { return timers_[which].first; }
  /// One timing of every number of rows, ascending.
  std::vector<ForwardTime> time_once(std::size_t which);

 private:
  std::set<int> rows_;
  bool follows_its_like_;  ///< small models: a forward is timed after another of as many rows, as
                           ///< in a generation
  std::vector<std::pair<int, ForwardTimer>> timers_;  ///< by context
};

class RunLog;
struct PlannedGeneration;

/// Times the target's bare forwards between generations: once for every prompt and temperature,
/// contexts in turn. Where rounds stay on the device, the cost surface has no bare forwards, and no
/// pace is taken.
class PaceTaker {
 public:
  explicit PaceTaker(Workbench& bench) : bench_(bench) {}
  /// To be called before a generation is measured.
  void before(std::size_t row);

 private:
  Workbench& bench_;
  std::map<std::string, ForwardCosts> forwards_;  ///< by Setting::loaded_model
  const PlannedGeneration* last_ = nullptr;
  std::size_t turn_ = 0;
};

/// The timings of the log, as pace.csv has them.
std::vector<analysis::PaceRow> pace_rows(const RunLog& log);

}  // namespace speclab::experiments
