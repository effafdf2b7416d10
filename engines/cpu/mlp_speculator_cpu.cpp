#include "engines/cpu/mlp_speculator_cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "engines/formats/input_file.h"
#include "engines/interface/names.h"
#include "sim/system/errors.h"
#include "sim/system/kept_digests.h"

namespace speclab::engines::cpu {
namespace {

constexpr float kNormEpsilon = 1e-6f;

std::vector<float> read_tensor(const WeightSource& weights, const std::string& name,
                               const std::vector<std::int64_t>& shape) {
  if (const std::vector<std::int64_t>& found = weights.tensor(name).shape; found != shape)
    throw_model_file_error(
        weights.path(), 0,
        {"tensor '" + escaped(name, 64) + "'", fmt::format("shape [{}]", fmt::join(found, ", ")),
         fmt::format("[{}], as config.json says", fmt::join(shape, ", "))});
  std::vector<float> values = weights.read_float32(name);
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
    throw_model_file_error(weights.path(), 0,
                           {"tensor '" + escaped(name, 64) + "'", "values that are not finite",
                            "numbers", "the file is damaged, or its training diverged"});
  return values;
}

/// Place of `name` in a list that holds every name once; `load` fills a new one.
std::size_t place_of(const std::string& name, std::map<std::string, std::size_t>& places,
                     const auto& load) {
  const auto [found, is_new] = places.try_emplace(name, places.size());
  if (is_new) load(name);
  return found->second;
}

float gelu(float x) {
  return 0.5f * x * (1.0f + std::erf(x * std::numbers::sqrt2_v<float> / 2.0f));
}

}  // namespace

MlpSpeculatorCpu::MlpSpeculatorCpu(const MlpSpeculatorConfig& config, const WeightSource& weights,
                                   ElementType type, std::shared_ptr<ThreadTeam> team,
                                   const CpuKernels* kernels)
    : config_(config),
      type_(type),
      team_(std::move(team)),
      kernels_(kernels),
      mix_ratio_(static_cast<float>(config.mix_ratio())),
      input_scale_(static_cast<std::size_t>(config.base_hidden_size),
                   1.0f / std::numbers::sqrt2_v<float>),
      embedding_rows_(config.embedding_rows()) {
  load(weights);
  info_.name = config.name;
  info_.family = kMlpSpeculatorKind;
  info_.dtype = type == ElementType::float32 ? "float32" : "bfloat16";
  info_.device = "cpu";
  info_.kernels = kernels_->name;
  info_.sha256 = kept_digests_of_user().of_files(weights.weight_paths());
  info_.vocab_size = config.vocab_size;
  info_.context_length = std::numeric_limits<std::int32_t>::max();
  info_.num_layers = config.num_heads;
  info_.hidden_size = config.inner_size;
  info_.feature_size = config.base_hidden_size;
  info_.draft_vocabulary = config.draft_vocabulary;
  info_.base_sha256 = config.target_sha256;
  info_.config_sha256 = config.config_sha256;
  info_.num_parameters = config.num_parameters();
  info_.weight_bytes = projections_.front().bytes() + heads_.front().bytes();
}

void MlpSpeculatorCpu::load(const WeightSource& weights) {
  const std::int64_t inner = config_.inner_size;
  std::map<std::string, std::size_t> projections, embeddings, heads, norms;
  const auto load_into = [&](std::vector<PackedMatrix>& matrices, std::int64_t columns,
                             std::int64_t depth) {
    return [&, columns, depth](const std::string& name) {
      const std::vector<float> values =
          read_tensor(weights, name, {columns, depth});  // before room is made for it
      matrices
          .emplace_back(expanded_form(type_), static_cast<int>(columns), static_cast<int>(depth))
          .set_columns(0, values);
    };
  };
  for (std::int32_t stage = 0; stage < config_.num_heads; ++stage)
    stages_.push_back(
        {place_of(config_.projection(stage), projections,
                  load_into(projections_, inner, stage == 0 ? config_.base_hidden_size : inner)),
         place_of(config_.embedding(stage), embeddings,
                  load_into(embeddings_, config_.num_embeddings(), inner)),
         place_of(config_.head(stage), heads, load_into(heads_, config_.num_logits(), inner)),
         place_of(config_.scale(stage), norms, [&](const std::string& name) {
           norms_.push_back({read_tensor(weights, name, {inner}),
                             read_tensor(weights, config_.shift(stage), {inner})});
         })});
}

MlpSpeculatorCpu::Stage MlpSpeculatorCpu::run_stage(std::int32_t stage, std::span<const Row> rows) {
  SPECLAB_EXPECT(stage >= 0 && stage < config_.num_heads && !rows.empty(),
                 "a stage of the speculator, and rows");
  for (const Row& row : rows)
    SPECLAB_EXPECT(row.state != nullptr && row.token >= 0 && row.token < config_.vocab_size,
                   "rows with a state and a token of the vocabulary");
  stage_ = stage;
  rows_ = rows;
  inputs_.resize(rows.size() *
                 static_cast<std::size_t>(std::max(config_.base_hidden_size, config_.inner_size)));
  states_.resize(rows.size() * static_cast<std::size_t>(config_.inner_size));
  mixed_.resize(states_.size());
  logits_.resize(rows.size() * static_cast<std::size_t>(config_.num_logits()));
  const StageWeights& weights = stages_[static_cast<std::size_t>(stage)];
  team_->run([&](int rank) {
    read_states(rank);
    team_->barrier();
    multiply(rank, projections_[weights.projection], states_);
    team_->barrier();
    add_tokens(rank);
    team_->barrier();
    multiply(rank, heads_[weights.head], logits_);
  });
  return {states_, logits_};
}

/// Row of the coming product, in its element type.
void* MlpSpeculatorCpu::input(std::int64_t row, std::int32_t width) {
  return reinterpret_cast<char*>(inputs_.data()) +
         row * width * (type_ == ElementType::float32 ? 4 : 2);
}

void MlpSpeculatorCpu::read_states(int rank) {
  const bool is_scaled = stage_ == 0 && config_.scales_input;
  const std::int32_t width = stage_ == 0 ? config_.base_hidden_size : config_.inner_size;
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    const float* state = rows_[static_cast<std::size_t>(r)].state;
    if (is_scaled)
      kernels_->norm({.x = state,
                      .weight = input_scale_.data(),
                      .size = width,
                      .epsilon = kNormEpsilon,
                      .type = type_,
                      .out = input(r, width)});
    else
      kernels_->convert(state, width, type_, input(r, width));
  }
}

void MlpSpeculatorCpu::add_tokens(int rank) {
  const Range range = share(static_cast<int>(rows_.size()), rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) activate(r);
}

/// Turns the projection of a row into its state, which is also the head's input.
void MlpSpeculatorCpu::activate(int row) {
  const StageWeights& weights = stages_[static_cast<std::size_t>(stage_)];
  const std::int32_t inner = config_.inner_size;
  const Norm& norm = norms_[weights.norm];
  float* state = states_.data() + std::int64_t{row} * inner;
  float* mixed = mixed_.data() + std::int64_t{row} * inner;
  embeddings_[weights.embedding].read_column(
      embedding_rows_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].token)], mixed);
  for (std::int32_t i = 0; i < inner; ++i) mixed[i] = state[i] + mix_ratio_ * mixed[i];
  kernels_->norm({.x = mixed,
                  .weight = norm.scale.data(),
                  .size = inner,
                  .epsilon = kNormEpsilon,
                  .out = state});
  for (std::int32_t i = 0; i < inner; ++i)
    state[i] = gelu(state[i] + norm.shift[static_cast<std::size_t>(i)]);
  kernels_->convert(state, inner, type_, input(row, inner));
}

void MlpSpeculatorCpu::multiply(int rank, const PackedMatrix& matrix, std::vector<float>& out) {
  const Range blocks = share(matrix.num_blocks(), rank, team_->size());
  const MultiplyArgs args{.weights = matrix.placed_parts().front().data,
                          .x = inputs_.data(),
                          .x_stride = matrix.depth(),
                          .out = out.data(),
                          .out_stride = matrix.columns(),
                          .rows = static_cast<int>(rows_.size()),
                          .depth = matrix.depth(),
                          .block_begin = blocks.begin,
                          .block_end = blocks.end,
                          .columns = matrix.columns()};
  (type_ == ElementType::float32 ? kernels_->multiply_float32 : kernels_->multiply_bfloat16)(args);
}

}  // namespace speclab::engines::cpu
