#pragma once
// MLP speculators: heads on the base model's last hidden state, each fed with the token before it.

namespace speclab::sim {

struct MlpSpeculatorShape {
  int base_hidden_size = 4096;  ///< E, width of the base model's hidden state, >= 1
  int vocab = 32000;            ///< V >= 1
  int heads = 3;                ///< n >= 1
  int inner_size = 4096;        ///< d >= 1
  bool tied = false;  ///< one embedding, head and normalisation for all stages, one projection for
                      ///< all but the first

  /// @throws ContractError naming the field out of range
  void expect_valid() const;
};

/// Weights: untied n (2 V d + 2 d) + E d + (n - 1) d^2; tied 2 V d + E d + d^2 + 2 d, without the
/// d^2 for a single head, which has no second stage.
/// @throws ContractError if a field is out of range
/// @source IBM 2024, released code of the MLP speculator
long long mlp_parameters(const MlpSpeculatorShape& shape);

/// Multiplications of one draft of n tokens, tied or not: the projections, E d and (n - 1) d^2, and
/// n heads of V d. A row of the embedding is looked up.
/// @throws ContractError if a field is out of range
/// @source as mlp_parameters
long long mlp_multiplications(const MlpSpeculatorShape& shape);

}  // namespace speclab::sim
