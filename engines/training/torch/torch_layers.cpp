#include "engines/training/torch/torch_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::engines {

void Parameters::add(const std::string& name, const at::Tensor& value, Use use) {
  parameters_.push_back({name, value.clone().set_requires_grad(true), use});
}

void Parameters::add_norm(const std::string& name, std::int64_t size) {
  add(name, at::ones({size}), Use::norm);
}

void Parameters::add_matrix(const std::string& name, std::int64_t out, std::int64_t in,
                            double scale) {
  add(name, at::randn({out, in}) * (scale / std::sqrt(static_cast<double>(in))), Use::product);
}

void Parameters::add_layer(const DecoderShape& config, std::int32_t layer, double residual_scale) {
  const std::string p = layer_prefix(layer);
  const std::int64_t h = config.hidden_size;
  add_norm(p + "input_layernorm.weight", h);
  add_matrix(p + "self_attn.q_proj.weight", config.query_size(), h);
  add_matrix(p + "self_attn.k_proj.weight", config.kv_size(), h);
  add_matrix(p + "self_attn.v_proj.weight", config.kv_size(), h);
  add_matrix(p + "self_attn.o_proj.weight", h, config.query_size(), residual_scale);
  add_norm(p + "post_attention_layernorm.weight", h);
  add_matrix(p + "mlp.gate_proj.weight", config.intermediate_size, h);
  add_matrix(p + "mlp.up_proj.weight", config.intermediate_size, h);
  add_matrix(p + "mlp.down_proj.weight", h, config.intermediate_size, residual_scale);
}

bool Parameters::contains(const std::string& name) const {
  return std::ranges::any_of(parameters_,
                             [&](const Parameter& parameter) { return parameter.name == name; });
}

at::Tensor& Parameters::operator[](const std::string& name) {
  for (Parameter& parameter : parameters_)
    if (parameter.name == name) return parameter.value;
  throw ContractError("no parameter '" + name + "'");
}

const at::Tensor& Parameters::operator[](const std::string& name) const {
  return const_cast<Parameters&>(*this)[name];
}

at::Tensor Parameters::linear(const at::Tensor& x, const std::string& name) const {
  if (dtype_ == at::kFloat) return at::linear(x, (*this)[name]);
  return at::linear(x.to(dtype_), (*this)[name].to(dtype_)).to(at::kFloat);
}

void Parameters::move_to(const at::Device& device) {
  for (Parameter& parameter : parameters_)
    parameter.value = parameter.value.detach().to(device).set_requires_grad(true);
}

std::vector<at::Tensor> Parameters::values() const {
  std::vector<at::Tensor> values;
  for (const Parameter& parameter : parameters_) values.push_back(parameter.value);
  return values;
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  return at::matmul(a.to(dtype), b.to(dtype)).to(at::kFloat);
}

std::string layer_prefix(std::int32_t layer) {
  return "model.layers." + std::to_string(layer) + ".";
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return x * at::rsqrt(x.pow(2).mean(-1, true) + epsilon) * weight;
}

at::Tensor rotated(const at::Tensor& heads, const at::Tensor& positions,
                   const DecoderShape& config) {
  const std::int64_t half = config.head_dim / 2;
  const auto frequency =
      at::pow(static_cast<double>(config.rope_theta),
              -at::arange(half, heads.options().dtype(at::kDouble)) * 2.0 / config.head_dim);
  const auto angle = (positions.unsqueeze(-1).to(at::kDouble) * frequency).to(at::kFloat);
  const auto cosine = angle.cos(), sine = angle.sin();
  const auto low = heads.narrow(-1, 0, half), high = heads.narrow(-1, half, half);
  return at::cat({low * cosine - high * sine, high * cosine + low * sine}, -1);
}

at::Tensor project_heads(const at::Tensor& x, const Parameters& parameters, const std::string& name,
                         const DecoderShape& config) {
  return parameters.linear(x, name)
      .view({x.size(0), x.size(1), -1, config.head_dim})
      .transpose(1, 2);
}

at::Tensor feed_forward(const at::Tensor& x, const Parameters& parameters,
                        const std::string& prefix) {
  const auto gate = at::silu(parameters.linear(x, prefix + "mlp.gate_proj.weight"));
  return parameters.linear(gate * parameters.linear(x, prefix + "mlp.up_proj.weight"),
                           prefix + "mlp.down_proj.weight");
}

at::Tensor rows_moved_down(const at::Tensor& x, std::int64_t by) {
  if (by == 0) return x;
  const std::int64_t kept = std::max<std::int64_t>(0, x.size(-2) - by);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[shape.size() - 2] = x.size(-2) - kept;
  return at::cat({at::zeros(shape, x.options()), x.narrow(-2, 0, kept)}, -2);
}

at::Tensor rows_taken(const at::Tensor& x, const at::Tensor& queried) {
  return x.gather(1, queried.unsqueeze(-1).expand({-1, -1, x.size(-1)}));
}

}  // namespace speclab::engines
