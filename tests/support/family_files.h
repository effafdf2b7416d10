#pragma once
// Writes a fixture's checkpoint as people have it: a folder in Hugging Face's layout, or a GGUF
// file.

#include <string>

#include "tests/support/family_fixtures.h"

namespace speclab::testing {

enum class ConfigLayout { transformers_5, transformers_4 };
enum class WeightType { float32, float16, bfloat16 };
enum class BaseNames { with_prefix, without_prefix };  ///< "model.layers.0" or "layers.0"
enum class TiedHead { left_out, stored };  ///< of a model whose head is its embedding table
enum class Buffers { left_out, stored };   ///< old files store rotary frequencies and masks too
enum class Fusion { as_saved, fused, separate };  ///< of projections and experts

struct FolderForm {
  ConfigLayout layout = ConfigLayout::transformers_5;
  WeightType type = WeightType::float32;
  int shards = 1;  ///< above 1: with model.safetensors.index.json
  BaseNames names = BaseNames::with_prefix;
  TiedHead tied_head = TiedHead::left_out;
  Buffers buffers = Buffers::left_out;
  Fusion fusion = Fusion::as_saved;
};

/// Writes config.json and the weights of `model`, the fixture's target or twin, into an existing
/// folder.
void write_family_folder(const FamilyFixture& fixture, const MadeModel& model,
                         const std::string& folder, const FolderForm& form = {});
/// The values of a tensor of the GGUF file, row-major.
std::vector<float> gguf_values(const FamilyFixture& fixture, const MadeModel& model,
                               const GgufTensorSource& tensor);
/// Writes the file that llama.cpp's converter would make, all tensors in F32.
void write_family_gguf(const FamilyFixture& fixture, const MadeModel& model,
                       const std::string& path);

}  // namespace speclab::testing
