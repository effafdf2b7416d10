#pragma once
// The factory that hides everything that needs torch. The program opens it at run time; tests use a
// fake one.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/device_monitor.h"
#include "engines/interface/language_model.h"
#include "engines/interface/model_options.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"

namespace speclab::engines {

struct LoadedModel {
  std::unique_ptr<LanguageModel> model;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null if the model has none (shape models)
  std::string tokenizer_problem{};  ///< why the one that it has cannot be read; empty: it can
};

/// A model's description, without its weights.
struct InspectedModel {
  ModelInfo info;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null if there is none, or it cannot be read
  std::string tokenizer_problem{};             ///< as of a loaded model
};

/// The machine as manifests describe it; no text is empty.
struct MachineInfo {
  std::string cpu_model;
  std::int32_t threads = 0;
  std::string libtorch_version;
  std::string
      blas;  ///< libraries of matrix products that libtorch was built with, and their versions
  std::string governor;  ///< governor of the processor's frequency
  std::string driver;    ///< version of the GPU's driver; "none" without a GPU
};

struct KnownModel {
  std::string name, description;
  std::string fetched_by{};  ///< the command that brings its file; empty: the file is there
  std::string path{};        ///< its file or folder; empty for a shape model
};

/// Tensors of one type in a model's files.
struct StoredWeights {
  std::string type;  ///< as the format names it: "F32", "BF16", "Q4_K"
  std::int64_t num_tensors = 0;
  std::int64_t bytes = 0;
};

class Engines {
 public:
  virtual ~Engines() = default;
  /// Models that can be loaded by name.
  virtual std::vector<KnownModel> known_models() const = 0;
  /// @throws ConfigError, ModelFileError; DeviceError if the device is missing or lacks the
  /// arithmetic
  virtual LoadedModel load_model(const ModelOptions& options) = 0;
  /// Describes a model as load_model does, and refuses the same names and sizes of tensors. It
  /// holds no weights. It reads a file once if the digest is asked for.
  virtual InspectedModel inspect_model(const ModelOptions& options) = 0;
  virtual std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& model) = 0;
  /// The contents of the model's files, by type; nothing of a shape model.
  virtual std::vector<StoredWeights> stored_weights(const std::string& model) = 0;
  /// Renders a chat template that no model has brought.
  /// @param file  where it stands, for messages
  /// @throws ModelFileError if it is none, ConfigError if it refuses the conversation
  virtual std::string render_chat_template(const std::string& source, const std::string& file,
                                           const ChatRequest& request) const = 0;
  /// @param target     outlives the decoder
  /// @param tokenizer  needed for stop strings and end-of-sequence; may be null
  virtual std::unique_ptr<RoundDecoder> make_decoder(LanguageModel& target,
                                                     std::shared_ptr<const Tokenizer> tokenizer,
                                                     const DecoderOptions& options) = 0;
  /// Beam search, beam sampling, diverse beams or contrastive search, of one prompt.
  /// @param tokenizer  as of make_decoder @param check  is called before every forward; what it
  /// throws ends the search
  /// @throws ConfigError if options contradict each other or the cache cannot hold the beams
  virtual SearchRecord search(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                              const DecoderOptions& options, const Request& request,
                              const std::function<void()>& check) = 0;
  /// The model that a drafter reads, with name, sha256 and num_parameters at least; empty if it
  /// reads none.
  virtual std::optional<ModelInfo> drafter_info(const DrafterOptions& options) = 0;
  /// Makes the target's own text, then the drafter's folder. @throws ConfigError, DataError,
  /// WriteError
  virtual void train(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                     const std::string& target_model, const TrainOptions& options,
                     const TrainCallbacks& callbacks) = 0;
  /// Trains a language model on bytes of text files, with a tokenizer beside it. Models trained so
  /// can be targets and drafters of each other.
  /// @throws ConfigError, DataError, WriteError
  virtual void train_language_model(const TrainOptions& options,
                                    const TrainCallbacks& callbacks) = 0;
  /// The probabilities that the sampling settings make of logits, in double.
  /// @param logits  [vocab], minus infinity allowed
  /// @param previous_ids  prompt and output so far, within the vocabulary
  virtual std::vector<double> law(const SamplingOptions& options, std::span<const double> logits,
                                  std::span<const Token> previous_ids) const = 0;
  virtual MachineInfo machine_info() const = 0;
  /// Monitor of the accelerator that models were loaded on. Null if there is none, or if it reports
  /// nothing about itself.
  virtual std::unique_ptr<DeviceMonitor> device_monitor() = 0;
  /// Meter of the processor packages and, if models were loaded on one, of the accelerator. Null if
  /// the machine tells neither.
  virtual std::unique_ptr<EnergyMeter> energy_meter() = 0;
  /// Best of `passes` reads over `bytes` with wide loads on all threads, bytes per second.
  virtual double measure_read_bandwidth(std::int64_t bytes, int passes) = 0;
};

}  // namespace speclab::engines

/// Entry of the engines' shared library; the caller owns the result.
extern "C" speclab::engines::Engines* speclab_make_engines();
/// kInterfaceNumber of the library's build, to be compared with the caller's before it makes any.
extern "C" std::uint64_t speclab_engines_interface();
