#pragma once
// Generations are measured one by one, each is checked, and whoever waits is told how far that is.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/device_monitor.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/forward_costs.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"
#include "sim/core/records.h"
#include "sim/core/token.h"

namespace speclab::experiments {

class Workbench;

/// What became of a generation.
struct Measured {
  std::optional<FailureStatus> failed{};
  std::int64_t tokens = 0, ns = 0;  ///< of one that did not fail
};

/// Measures generations one by one, into the log of its bench.
class GenerationMeter {
 public:
  explicit GenerationMeter(Workbench& bench);
  /// The row is in the log when this returns, or why there is none. Behind a failure all begins as
  /// in a new process. A row that was decoded beside an earlier one is not decoded again.
  /// @param attempts  how often it was tried before
  /// @throws what ends the run and not only a generation
  Measured measure(std::size_t row, int attempts);

 private:
  Workbench& bench_;
  PaceTaker pace_;
  std::unique_ptr<engines::DeviceMonitor> monitor_;  ///< null where no device tells of itself
  std::map<std::size_t, RowEntry> beside_;  ///< rows of batches that were not asked for yet
};

/// Measures the generations of the plan that the log lacks, in the plan's order; those that failed
/// before once more.
void measure_generations(Workbench& bench);

/// Sixteen hexadecimal digits over the ids: equal text has equal hashes.
std::string output_hash(std::span<const Token> ids);

/// The phase "measuring": its work is predicted time, its speed that of the last generations.
class MeasuringProgress {
 public:
  static constexpr std::size_t kLastGenerations = 8;  ///< that the speed is of

  /// Begins the phase. @param rows  that are left, of a log with predictions
  MeasuringProgress(const Plan& plan, const RunLog& log, const std::vector<std::size_t>& rows,
                    Progress& progress);
  /// A row has ended, well or not.
  void ended(std::size_t row, const Measured& measured);

 private:
  double predicted_ns(std::size_t row) const {
    return log_.predictions().at(plan_.generations[row].cell).walltime_ns;
  }
  void tell();

  const Plan& plan_;
  const RunLog& log_;
  Progress& progress_;
  std::vector<std::size_t> left_;  ///< generations, by cell
  CellCount cells_{};
  std::deque<Measured> last_;
};

/// What must hold of every generation, whatever decoded it, before its times mean anything: the
/// rounds emitted the output's tokens, each has its fate, and an end of sequence stands last, if
/// there is one.
/// @param stop  the rules it was to end by
/// @throws ContractError naming what does not hold
void check_generation(const GenerationRecord& record, const engines::StopOptions& stop,
                      const engines::Tokenizer& tokenizer);

/// A search keeps all of this but the count of tokens: it may take steps behind the end of its best
/// text.
void check_ending(const GenerationRecord& record, const engines::StopOptions& stop,
                  const engines::Tokenizer& tokenizer);

/// What must hold of its text: what is streamed token by token is the whole, and its tokens, made
/// anew from it, spell it again. They need not be the same ones, for a model may sample a spelling
/// that the tokenizer does not choose; bytes that no token spells alone are left out.
/// @throws ContractError naming what does not hold
void check_text(std::span<const Token> output_ids, const engines::Tokenizer& tokenizer);

}  // namespace speclab::experiments
