#pragma once
// Options for training drafters on the target's own output. No torch here.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/names.h"
#include "sim/core/records.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// The target's own text: every prompt is used once, and temperatures take turns.
struct OwnTextOptions {
  std::vector<std::vector<Token>> prompts;
  std::vector<double> temperatures{0.0, 0.7, 1.0};
  std::int32_t max_new_tokens = 192;
  std::int32_t batch = 32;  ///< sequences generated together
  std::uint64_t seed = 1;
  std::string
      cache_file;  ///< finished batches are kept here; a repeated or resumed call reads them
  bool keeps_hidden =
      false;  ///< keeps the target's last hidden states too, for drafters that read them
  bool keeps_layers = false;  ///< keeps the states of its layers behind them too
};

/// Values of TrainingSchedule::dtype.
inline constexpr std::array<const char*, 3> kTrainingDtypes{"auto", "float32", "bfloat16"};
/// Values of TrainingSchedule::device.
inline constexpr std::array<const char*, 2> kTrainingDevices{"cpu", "cuda"};
/// Values of TrainingSchedule::optimiser.
inline constexpr std::array<const char*, 2> kOptimisers{"adamw", "muon"};

/// Values of TrainingSchedule::rate_schedule. `cosine` warms up over 3 % of the steps, then falls
/// along a half cosine to 0. `parabola_cosine` is IBM's: a parabola over a twentieth of the steps
/// (at most 2,000), then a cosine down to a tenth.
inline constexpr std::array<const char*, 2> kRateSchedules{"cosine", "parabola_cosine"};

/// Steps over the texts, alike for all trained drafters.
struct TrainingSchedule {
  std::int32_t batch = 16;          ///< sequences a step
  std::string optimiser = "adamw";  ///< or "muon": orthogonalised steps of the matrices between
                                    ///< states, AdamW for tables and norms
  double learning_rate = 2e-3;      ///< peak
  std::string rate_schedule = "cosine";  ///< course of the learning rate, one of kRateSchedules
  double weight_decay = 0.05;
  double max_gradient_norm = 1.0;
  std::int32_t epochs = 4;
  std::int32_t validation_sequences = 48;
  std::uint64_t seed = 1;
  std::string dtype = "auto";  ///< format of the layers' products: "float32", "bfloat16", or
                               ///< "auto": bfloat16 on CUDA and on processors that multiply it
  std::string device =
      "cpu";  ///< device that trains the drafter; the target reads and writes its texts on its own
};

/// A Llama-like drafter that reads the target's whole vocabulary. Its embeddings are tied: its head
/// is the table, or rows of it.
struct SmallTransformerOptions {
  std::int32_t hidden_size = 160;
  std::int32_t num_layers = 4;
  std::int32_t num_heads = 5;
  std::int32_t intermediate_size = 640;
  std::int32_t draft_vocabulary =
      0;  ///< most frequent tokens of the texts that it can draft; 0: all
};

/// A drafter of the target's width that reads its last hidden states, with its embedding table and
/// rows of its head.
/// @source Li et al. 2024, EAGLE (arXiv 2401.15077); Zhang et al. 2024, HASS (arXiv 2408.15766):
/// training on its own states
struct FeatureTransformerOptions {
  bool reads_layers = false;  ///< reads the streams behind some of the target's layers too, beside
                              ///< its last hidden state
  std::int32_t num_layers = 1;
  std::int32_t intermediate_size = 1536;
  std::int32_t unrolled_steps = 3;  ///< drafted tokens that it is trained on in a row, >= 1
  double step_weight =
      0.8;  ///< weight of each further token in the loss, relative to the one before, (0, 1]
  double feature_weight =
      0.1;  ///< weight of the distance to the target's next hidden state in the loss, >= 0
};

/// Stages behind the target's last hidden state, one a drafted token.
/// @source IBM 2024, released code of the MLP speculator
struct MlpSpeculatorOptions {
  std::int32_t num_heads = 3;  ///< stages
  std::int32_t inner_size = 512;
  bool is_tied = true;       ///< one embedding, head and norm for all stages
  bool scales_input = true;  ///< the target's state is normed and divided by sqrt(2)
};

/// Values of DistillationOptions::loss, in this order: cross-entropy of the emitted token, KL(p ||
/// q), KL(q || p), and 1 - sum of min(p, q), for the target's law p and the drafter's q.
inline constexpr std::array<const char*, 4> kLosses{"tokens", "forward_kl", "reverse_kl",
                                                    "total_variation"};

/// Goal and start of a drafter that reads hidden states.
struct DistillationOptions {
  std::int32_t draft_vocabulary = 8192;  ///< most frequent tokens of the texts that it can draft
  std::string loss = "forward_kl";       ///< one of kLosses
  std::string vocabulary_from{};  ///< folder of a drafter of the same target that lends its draft
                                  ///< vocabulary; empty: taken from the texts
  std::string start_from{};  ///< folder of a trained drafter of this kind and shape to continue
                             ///< from, with its draft vocabulary; empty: random weights
};

/// Shape of an n-gram model.
struct NgramOptions {
  std::int32_t order = 5;  ///< 1 to 5
  std::int32_t max_successors =
      16;  ///< number of most likely tokens kept for a context and in a law; 1 to 255
  std::int32_t min_occurrences =
      1;  ///< n-grams of three and more tokens that occur less often are dropped
  std::int32_t validation_sequences =
      48;  ///< number of first texts of the own text that are held out
};

/// Text that is not the target's own. Files are UTF-8.
struct TextOptions {
  std::vector<std::string> files{};           ///< to train on
  std::vector<std::string> held_out_files{};  ///< to measure on
  std::int32_t sequence_length =
      256;  ///< length of the stretches that the target reads for a drafter that learns its laws;
            ///< n-grams are counted in whole files
  std::int32_t max_sequences = 0;  ///< number of stretches to train on; 0: all
  std::string cache_file{};        ///< keeps the target's laws and states on them
};

struct TrainOptions {
  OwnTextOptions own_text;                    ///< without prompts if there are only text files
  TextOptions text;                           ///< beside own text for n-grams only
  std::string drafter = "small_transformer";  ///< one of kTrainedDrafterKinds
  SmallTransformerOptions small_transformer;  ///< used for a language model too
  FeatureTransformerOptions feature_transformer;
  MlpSpeculatorOptions mlp_speculator;
  DistillationOptions distillation;  ///< used for drafters that read hidden states
  TrainingSchedule schedule;         ///< used for all but n-grams
  NgramOptions ngram;
  std::string output;       ///< folder of the drafter
  Provenance provenance{};  ///< program, machine and digests, for manifest.json
  Provenance config{};  ///< the keys of the training's config and their values, for manifest.json

  TrainerTraits trainer() const { return trainer_traits(drafter); }
};

/// One line of progress.
struct TrainProgress {
  std::string phase;     ///< "own text", "count", "train", "validate"
  std::string source{};  ///< validate: the file, or "own text"
  double fraction = 0;   ///< finished share of the phase, [0, 1]
  double loss =
      0;  ///< train: mean cross-entropy to the target's law, nats; validate: to the held-out tokens
  std::optional<double> acceptance_rate{};   ///< validation: mean sum of min(p, q) at temperature 1
  std::string acceptance_name{};             ///< name of that rate in the manifest
  std::optional<double> greedy_agreement{};  ///< validation: share of equal arg max
  std::int64_t tokens = 0;                   ///< made, visited or measured so far; count: in all
};
using TrainCallback = std::function<void(const TrainProgress&)>;

struct TrainCallbacks {
  TrainCallback progress;
  std::function<void()> check_interruption{};  ///< called between steps and batches; it may throw,
                                               ///< and finished work is then kept

  void check() const {
    if (check_interruption) check_interruption();
  }
};

}  // namespace speclab::engines
