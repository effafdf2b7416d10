#pragma once
// MLP speculators of a few thousand parameters with random weights.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/cpu/mlp_speculator_cpu.h"
#include "engines/formats/weight_source.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines::testing {

/// Tensors that were never a file.
class MadeWeights final : public WeightSource {
 public:
  void add(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values);

  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  bool contains(const std::string& name) const override { return values_.contains(name); }
  const TensorInfo& tensor(const std::string& name) const override;
  std::vector<float> read_float32(const std::string& name) const override {
    return values_.at(name);
  }
  const std::string& path() const override { return path_; }
  std::vector<std::string> weight_paths() const override { return {}; }

 private:
  std::string path_ = "made weights";
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::vector<float>> values_;
};

/// Three stages of width 32 for a target; it drafts all tokens but every seventh.
MlpSpeculatorConfig tiny_mlp_config(const DecoderShape& target);
/// Normal, large enough that laws are neither flat nor certain; shifts are not 0.
MadeWeights tiny_mlp_weights(const MlpSpeculatorConfig& config, std::uint64_t seed = 1);
/// @param draft_vocabulary  ascending; empty: that of tiny_mlp_config
std::shared_ptr<MlpSpeculator> tiny_mlp_speculator(const DecoderShape& target,
                                                   std::vector<Token> draft_vocabulary = {},
                                                   int threads = 1);

}  // namespace speclab::engines::testing
