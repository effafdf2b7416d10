#pragma once
// Shape of an MLP speculator: heads behind a base model's last hidden state, one a drafted token,
// each reading the token before it.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// @source IBM 2024, released code of the MLP speculator
struct MlpSpeculatorConfig {
  std::string name;
  std::int32_t vocab_size = 0;  ///< of the base model
  std::int32_t base_hidden_size = 0;
  std::int32_t inner_size = 0;
  std::int32_t num_heads = 0;  ///< tokens that it can draft in a row
  bool is_tied =
      false;  ///< one embedding, head and norm for all stages, one projection for all but the first
  bool scales_input = false;    ///< the base model's state is normed and divided by sqrt(2)
  std::string config_sha256{};  ///< of the config.json that it was read from
  std::vector<Token>
      draft_vocabulary{};  ///< token of each row of the heads, ascending; empty: all. One more row
                           ///< of the embedding stands for all others
  std::string target;      ///< catalogue name, file or folder of the base model it was trained for;
                           ///< empty: not said
  std::string target_sha256;  ///< of its weights; empty: not said

  std::int32_t num_logits() const {
    return draft_vocabulary.empty() ? vocab_size
                                    : static_cast<std::int32_t>(draft_vocabulary.size());
  }
  std::int32_t num_embeddings() const { return num_logits() + (draft_vocabulary.empty() ? 0 : 1); }
  std::int64_t num_parameters() const;
  /// Factor of an embedding before it is added to the projected state: w_e / w_s with
  /// w_s = 0.5^(0.5 / num_heads) and w_e = sqrt((1 - w_s^2) inner_size / 2).
  double mix_ratio() const;
  /// Row of the embedding of every token, [vocab_size].
  std::vector<std::int32_t> embedding_rows() const;
  /// Names of a stage's tensors; tied stages share names. An embedding is [num_embeddings, inner],
  /// a head [num_logits, inner], scale and shift [inner].
  std::string projection(std::int32_t stage)
      const;  ///< [inner, base_hidden] of the first stage, [inner, inner] of the others
  std::string embedding(std::int32_t stage) const { return tensor("emb", stage, "weight"); }
  std::string head(std::int32_t stage) const { return tensor("head", stage, "weight"); }
  std::string scale(std::int32_t stage) const { return tensor("ln", stage, "weight"); }
  std::string shift(std::int32_t stage) const { return tensor("ln", stage, "bias"); }

 private:
  std::string tensor(const char* kind, std::int32_t stage, const char* part) const;
};

/// Whether config.json says so.
bool is_mlp_speculator_folder(const std::string& folder);
/// Reads config.json as published speculators have it, with the target and the draft vocabulary
/// where speclab wrote it.
/// @throws ModelFileError naming file and field
MlpSpeculatorConfig read_mlp_speculator_config(const std::string& path);
/// @throws WriteError
void write_mlp_speculator_config(const MlpSpeculatorConfig& config, const std::string& path);

}  // namespace speclab::engines
