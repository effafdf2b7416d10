#pragma once
// Reads tests/golden/families: what transformers computes with a tiny checkpoint of each family.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/token.h"
#include "tests/support/made_values.h"

namespace speclab::testing {

/// A tensor of a GGUF file: rows of the checkpoint's tensors, one behind the other.
struct GgufTensorSource {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<std::string> from;    ///< names of the checkpoint's tensors
  bool transposed = false;          ///< each of them, before its rows are taken
  float add = 0.0f;                 ///< to every value
  std::vector<std::size_t> rows{};  ///< of the tensors, in the file's order; empty: all as they are
  std::vector<float> values{};      ///< instead of `from`: what the converter computes
};

struct FamilyFixture {
  std::string name;
  nlohmann::json config;    ///< config.json of transformers 5
  nlohmann::json config_4;  ///< the same as transformers 4 spells it
  std::vector<MadeTensor> tensors;
  MadeModel target, twin;
  std::vector<Token> prompt, greedy;
  std::vector<double> margins;  ///< of each greedy step, best logit minus the second
  /// [prompt + greedy - 1, vocabulary], after each id of the prompt and of `greedy` but its last
  std::vector<std::vector<float>> logits;
  int twin_agrees = 0;                     ///< greedy steps at which the twin has the same best id
  std::vector<float> values, twin_values;  ///< first of the first tensor, last of the last
  std::vector<nlohmann::json> gguf_metadata;  ///< key, type, value, and `of` for arrays
  std::vector<GgufTensorSource> gguf_tensors;
  double gguf_sum = 0.0;  ///< of values from the checkpoint, each times 1 + (its place modulo 7)

  bool has_gguf() const { return !gguf_tensors.empty(); }
  std::string model_type() const { return config.at("model_type").get<std::string>(); }
  const MadeTensor& tensor(const std::string& tensor_name) const;
};

/// Names of all fixtures, in alphabetical order.
std::vector<std::string> family_names();
/// @throws std::exception if there is no such fixture
FamilyFixture read_family(const std::string& name);

}  // namespace speclab::testing
