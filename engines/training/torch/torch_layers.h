#pragma once
// The parts of a Llama layer as autograd sees them: the same mathematics as DecoderCpu over whole
// sequences, in float32 but for the factors and results of matrix products where a training asks
// for bfloat16.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// Leaves that require gradients, named as in a Hugging Face checkpoint.
class Parameters {
 public:
  enum class Use {
    product,  ///< a matrix between two states
    table,    ///< rows that are looked up or scored
    norm,     ///< scales and shifts, without weight decay
  };
  struct Parameter {
    std::string name;
    at::Tensor value;
    Use use = Use::product;
  };

  void add(const std::string& name, const at::Tensor& value, Use use);
  /// Ones.
  void add_norm(const std::string& name, std::int64_t size);
  /// Normal, with a variance of scale^2 / in. Torch's generator must be seeded.
  void add_matrix(const std::string& name, std::int64_t out, std::int64_t in, double scale = 1.0);
  /// The norms and matrices of one layer. @param residual_scale  of the matrices that write into
  /// the residual stream
  void add_layer(const DecoderShape& config, std::int32_t layer, double residual_scale);

  bool contains(const std::string& name) const;
  const at::Tensor& operator[](const std::string& name) const;
  at::Tensor& operator[](const std::string& name);
  /// Factors and result of `linear` are rounded to it; the parameters themselves stay float32.
  void set_dtype(at::ScalarType dtype) { dtype_ = dtype; }
  /// Replaces the leaves, so before an optimiser knows them.
  void move_to(const at::Device& device);
  /// x [..., in] through the matrix `name` [out, in], as float32.
  at::Tensor linear(const at::Tensor& x, const std::string& name) const;
  std::vector<Parameter>& all() { return parameters_; }
  const std::vector<Parameter>& all() const { return parameters_; }
  std::vector<at::Tensor> values() const;

 private:
  std::vector<Parameter> parameters_;
  at::ScalarType dtype_ = at::kFloat;
};

/// a [n, k] times b [k, m] with factors and result rounded to `dtype`, as float32.
at::Tensor product(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype);

/// "model.layers.L."
std::string layer_prefix(std::int32_t layer);
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
/// Rotary positions over [B, heads, T, head_dim]; pairs are (i, i + head_dim / 2). @param positions
/// [T] or [B, 1, T]
at::Tensor rotated(const at::Tensor& heads, const at::Tensor& positions,
                   const DecoderShape& config);
/// x [B, T, hidden] through the projection `name`, as [B, heads, T, head_dim].
at::Tensor project_heads(const at::Tensor& x, const Parameters& parameters, const std::string& name,
                         const DecoderShape& config);
at::Tensor feed_forward(const at::Tensor& x, const Parameters& parameters,
                        const std::string& prefix);

/// Row j of the result is row j - by; the first rows are zero. @param x  [..., R, size]
at::Tensor rows_moved_down(const at::Tensor& x, std::int64_t by);
/// Rows queried [B, M] of x [B, R, size].
at::Tensor rows_taken(const at::Tensor& x, const at::Tensor& queried);

}  // namespace speclab::engines
