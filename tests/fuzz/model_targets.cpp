#include "tests/fuzz/model_targets.h"

#include <cmath>
#include <memory>

#include "engines/families/family.h"
#include "engines/formats/gguf_file.h"
#include "engines/models/decoder_weights.h"
#include "engines/models/rotary_scaling.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/fuzz/targets.h"
#include "tests/support/family_files.h"

namespace speclab::fuzz {
namespace {

using namespace speclab::engines;

const std::string& file_of(const std::string& bytes) {
  static speclab::testing::MemoryFile disk;
  static const std::string path = disk.path();
  disk.write(bytes);
  return path;
}

/// Every shape that a reader took must hold this.
void require_sound(const DecoderShape& shape) {
  require(shape.num_parameters() > 0 && parameters_read(shape) > 0, "parameters");
  for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
    require(window_of(shape, layer) >= 0, "a window, or none");
  if (shape.positions != Positions::rotary) return;
  for (const std::int32_t position : {0, shape.context_length - 1})
    for (const double f : rotary_frequencies(shape, RotaryBase::global, position).per_position)
      require(std::isfinite(f), "finite rotary frequencies");
}

}  // namespace

void read_shape(const std::string& bytes) try {
  require_sound(shape_from_json(file_of(bytes)));
} catch (const ModelFileError&) {
}

void read_gguf_model(const std::string& bytes) try {
  const auto file = std::make_shared<GgufFile>(GgufFile::open(file_of(bytes)));
  const DecoderShape shape = shape_from_gguf(*file);
  require_sound(shape);
  const auto weights = decoder_weights_from_gguf(file, shape);
  for (const TensorRole role : tensor_roles())
    for (std::int32_t layer = 0; layer < (is_of_layer(role) ? shape.num_layers : 1); ++layer)
      if (has_role(role, shape, layer))
        require(weights->read(role, layer).size() ==
                    static_cast<std::size_t>(num_elements(role, shape)),
                "as many values as the role has");
} catch (const ModelFileError&) {
}

std::vector<std::string> shape_seeds() {
  std::vector<std::string> seeds;
  for (const char* name : {"llama_3", "gemma3", "qwen3_moe", "phi3_longrope", "gpt2", "opt_350m"}) {
    const speclab::testing::FamilyFixture family = speclab::testing::read_family(name);
    seeds.push_back(family.config.dump());
    seeds.push_back(family.config_4.dump());
  }
  return seeds;
}

std::vector<std::string> gguf_model_seeds() {
  const speclab::testing::TemporaryFolder folder(speclab::testing::memory_folder());
  const speclab::testing::FamilyFixture family = speclab::testing::read_family("gpt_neox");
  speclab::testing::write_family_gguf(family, family.target, folder.path("model.gguf"));
  return {read_file(folder.path("model.gguf"))};
}

}  // namespace speclab::fuzz
