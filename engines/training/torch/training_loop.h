#pragma once
// Steps of the optimiser over texts: what all trained drafters but n-grams share.

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "engines/training/own_text.h"
#include "engines/training/torch/torch_layers.h"
#include "engines/training/torch/training_checkpoint.h"

namespace speclab::engines {

/// Of held-out text.
struct Validation {
  double positions = 0;
  double loss =
      0;  ///< nats a position: cross-entropy to the target's law, whatever the training's loss is
  double acceptance_rate =
      0;  ///< mean sum of min(p, q) at temperature 1 over the tokens that the task looks at
  double greedy_agreement = 0;  ///< share of equal arg max

  /// Of sums over positions.
  Validation mean() const {
    return {positions, loss / positions, acceptance_rate / positions, greedy_agreement / positions};
  }
};

/// A drafter while it is trained.
class TrainingTask {
 public:
  using Texts = std::span<const OwnText* const>;
  virtual ~TrainingTask() = default;
  virtual Parameters& parameters() = 0;
  /// Adds the gradient of the mean loss. @return that of the first drafted token
  virtual double backward(Texts texts) = 0;
  /// Of each drafted token in a row, the texts' own tokens before it.
  virtual std::vector<Validation> validate(Texts texts) const = 0;
  /// Drafted tokens in a row that it is trained on.
  virtual int num_steps() const { return 1; }
  /// The name of Validation::acceptance_rate in the manifest: "acceptance_rate" where it looks at
  /// every token that can be drafted, "acceptance_rate_at_least" where at the target's most likely
  /// ones alone, "next_token_probability" where there is no target.
  virtual const char* acceptance_name() const = 0;
};

struct TrainingLoopOptions {
  TrainingSchedule schedule;
  std::string
      checkpoint;  ///< file that a resumed call goes on from; it stays, write_drafter removes it
  Provenance provenance;      ///< of this process
  TrainingIdentity training;  ///< a checkpoint of another is refused
};

struct TrainingOutcome {
  std::string curve;               ///< a CSV text: tokens,loss_nats and validation_columns
  nlohmann::ordered_json origins;  ///< array: provenance of each process that took steps, where it
                                   ///< is another than that before it
};

/// Factor of the learning rate. @param rate_schedule  one of kRateSchedules @param step  [0,
/// num_steps]
/// @source of parabola_cosine: IBM 2024, released training script, a stage of it
double learning_rate_multiplier(const std::string& rate_schedule, std::int64_t step,
                                std::int64_t num_steps);

/// Of the texts, their laws and the schedule: a training with another one takes other steps.
std::string training_digest(const TextSplit& texts, const TrainOptions& options);

/// Trains through the schedule, or on from the checkpoint to the same weights, bit for bit on the
/// CPU.
/// @throws ConfigError if there is less text than the validation set and one batch; DataError if
/// the loss stops being a number or the checkpoint is damaged or of another training; WriteError;
/// what check_interruption throws, after the checkpoint is written
TrainingOutcome run_training(const TextSplit& texts, TrainingTask& task,
                             const TrainingLoopOptions& options, const TrainCallbacks& callbacks);

struct TargetName {
  std::string name;    ///< catalogue name or file; empty for a language model, which has no target
  std::string sha256;  ///< of its weights
};

/// How a transformer was trained and how it does on the held-out texts of each temperature: kind,
/// target, own text, schedule, tokens, held_out, config, provenance.
nlohmann::ordered_json transformer_manifest(const TrainingTask& task, const TextSplit& texts,
                                            const TrainOptions& options, const TargetName& target,
                                            const TrainingOutcome& outcome);

// Held-out text in clusters, texts of one prompt or stretches of a file: means, and how far chance
// in their choice moves them.

/// Of one drafted token. Standard errors are those of ratios of totals over clusters; 0 with one
/// cluster.
struct ValidationSpread {
  Validation mean;
  Validation error;  ///< `positions` unused
  std::size_t num_clusters = 0;
};

/// Of each drafted token in a row.
std::vector<ValidationSpread> validate_in_clusters(const TrainingTask& task,
                                                   TrainingTask::Texts texts);

/// Columns of a curve behind tokens and loss_nats, and what stands in them.
std::string validation_columns(int num_steps);
std::string validation_fields(const std::vector<ValidationSpread>& by_step);

}  // namespace speclab::engines
