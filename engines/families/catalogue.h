#pragma once
// Models by name: the default one that scripts/setup fetched, drafters of the project, and shape
// models with random weights.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/decoder_weights.h"
#include "engines/models/mlp_speculator_config.h"

namespace speclab::engines {

/// Everything a Llama-family model is made of, before a device is chosen.
struct ModelSource {
  DecoderShape config;
  std::unique_ptr<DecoderWeights> weights;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null where the model has none
  std::string tokenizer_problem{};  ///< why the one that it has cannot be read; empty: it can
};

/// An MLP speculator before its kernels are chosen.
struct MlpSpeculatorSource {
  MlpSpeculatorConfig config;
  std::shared_ptr<const WeightSource> weights;
};

struct CatalogueEntry {
  std::string name;
  std::string path;                   ///< file or folder; empty for a shape model
  std::optional<DecoderShape> shape;  ///< of a shape model
  std::string description;
  std::string sha256{};                      ///< of the file where it is pinned, else empty
  std::string fetched_by = "scripts/setup";  ///< the command that brings the file
  std::string wide_shape{};  ///< the larger shape that it takes, behind "widened:"; empty: none
};

/// Where the drafters trained by the project stand: results/models of the data folder.
std::string project_models_folder();
std::vector<CatalogueEntry> model_catalogue();
/// The file or folder of a model, which need not be there; empty for a shape model. A drafter's
/// name or folder means its newest version with weights, NAME/v1 or FOLDER/v1 that version.
/// @param model  catalogue name or path
/// @throws ConfigError for a version without weights
std::string model_path(const std::string& model);
/// @param model  catalogue name, "widened:SHAPE" (widened_model.h), GGUF file or checkpoint folder
/// @throws ConfigError if there is no such name, file or folder, listing the names, or it is an MLP
/// speculator; ModelFileError from the readers, and if a
///         pinned file is not the one that scripts/setup fetches
/// @return a small transformer with its whole head, whose rows outside its draft vocabulary no
/// training ever fitted to be drawn from
ModelSource open_model(const std::string& model);
/// The same, as a drafter: with the head's rows of its draft vocabulary alone, where it has one.
ModelSource open_draft_model(const std::string& model);
/// @param model  catalogue name or folder
/// @throws ConfigError if there is none; ModelFileError from the readers
MlpSpeculatorSource open_mlp_speculator(const std::string& model);
/// @throws ConfigError, ModelFileError like open_model
std::vector<StoredWeights> stored_weights(const std::string& model);
/// @param model  catalogue name, GGUF file, folder, tokenizer.json or tokenizer.model
/// @throws ConfigError if there is none; ModelFileError from the readers
std::shared_ptr<const Tokenizer> open_tokenizer(const std::string& model);

/// Models with random weights: sizes of SmolLM2's family, and published shapes with their own
/// layers. Those called "gated" have the sizes of OPT and GPT-2 with layers of Llama, which the
/// CUDA engine runs.
std::vector<DecoderShape> shape_models();

/// The model with the rows of its head that belong to these tokens, which are all that it can
/// draft. @param tokens  of the model's vocabulary, ascending, at least one
/// @throws ConfigError if it has a draft vocabulary already
ModelSource with_trimmed_head(ModelSource source, std::vector<Token> tokens);

// Things that people give as a model and that are none: names of a hub, parts of a folder, paths
// that a shell should have expanded.

/// A model of the catalogue.
struct NamedModel {
  std::string name;
  std::string description{};  ///< its maker's name, then more behind a comma
  std::string fetched_by{};   ///< the command that brings its file
};

/// @throws ConfigError that says why there is no such model, and what to give
[[noreturn]] void refuse_missing_model(const std::string& model,
                                       const std::vector<NamedModel>& known);

/// @param path  an existing file
/// @throws ConfigError if it is one of the files of a folder in Hugging Face's layout, naming the
/// folder; ModelFileError if the folder is an adapter's
void refuse_part_of_folder(const std::string& path);

}  // namespace speclab::engines
