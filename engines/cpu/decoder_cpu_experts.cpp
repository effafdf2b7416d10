// Feed-forwards of experts (Shazeer et al. 2017): every row goes through the few that its router
// likes best. Rows of an expert stand side by side, so that its weights are read once.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {

void DecoderCpu::reserve_experts(std::size_t rows) {
  auto grow = [](auto& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
  };
  const std::size_t slots = rows * static_cast<std::size_t>(config_.experts_per_token);
  grow(router_logits_, rows * static_cast<std::size_t>(config_.num_experts));
  grow(expert_in_, slots * static_cast<std::size_t>(widths_.hidden));
  grow(expert_inner_, slots * static_cast<std::size_t>(widths_.expert));
  grow(expert_out_, slots * static_cast<std::size_t>(widths_.hidden));
  grow(chosen_, slots);
  grow(chosen_weights_, slots);
  grow(slot_rows_, slots);
  grow(slots_of_rows_, slots);
}

/// The rows' normed streams stand in normed_.
void DecoderCpu::run_experts(int rank, const Layer& layer, int rows) {
  const Experts& experts = layer.experts;
  route_rows(rank, experts, rows);
  team_->barrier();
  if (rank == 0) plan_experts(rows);
  team_->barrier();
  gather_slots(rank);
  team_->barrier();
  multiply_experts(rank, experts.first, expert_in_, expert_inner_.data(), widths_.expert,
                   first_epilogue());
  team_->barrier();
  multiply_experts(rank, experts.down, expert_inner_, expert_out_.data(), widths_.hidden,
                   Epilogue::store);
  team_->barrier();
  mix_experts(rank, rows);
  finish_block(rank, layer.feed_forward_output_norm, rows);
  team_->barrier();
}

void DecoderCpu::route_rows(int rank, const Experts& experts, int rows) {
  multiply(rank, experts.router, normed_.data(), rows, router_logits_.data(), config_.num_experts,
           Epilogue::store);
  team_->barrier();
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) choose_experts(r, config_.num_experts);
}

/// The most likely experts of a row in rising order, and their weights.
void DecoderCpu::choose_experts(int row, int num_experts) {
  float* laws = router_logits_.data() + std::int64_t{row} * num_experts;
  const float largest = *std::max_element(laws, laws + num_experts);
  for (int e = 0; e < num_experts; ++e) laws[e] = std::exp(laws[e] - largest);
  const float all = std::accumulate(laws, laws + num_experts, 0.0f);
  const auto count = static_cast<std::int64_t>(config_.experts_per_token);
  std::int32_t* chosen = chosen_.data() + row * count;
  float* weights = chosen_weights_.data() + row * count;
  for (std::int64_t k = 0; k < count; ++k) {
    const float* best = nullptr;
    for (const float* law = laws; law < laws + num_experts; ++law)
      if (std::find(chosen, chosen + k, law - laws) == chosen + k &&
          (best == nullptr || *law > *best))
        best = law;
    chosen[k] = static_cast<std::int32_t>(best - laws);
  }
  std::sort(chosen, chosen + count);
  for (std::int64_t k = 0; k < count; ++k) weights[k] = laws[chosen[k]];
  const float total =
      config_.normalised_experts ? std::accumulate(weights, weights + count, 0.0f) : all;
  for (std::int64_t k = 0; k < count; ++k) weights[k] /= total;
}

/// Slots by expert, in rising order of rows.
void DecoderCpu::plan_experts(int rows) {
  const int choices = rows * config_.experts_per_token;
  expert_tasks_.clear();
  int slot = 0;
  for (std::int32_t expert = 0; expert < config_.num_experts; ++expert) {
    const int first = slot;
    for (int i = 0; i < choices; ++i)
      if (chosen_[static_cast<std::size_t>(i)] == expert) {
        slot_rows_[static_cast<std::size_t>(slot)] = i / config_.experts_per_token;
        slots_of_rows_[static_cast<std::size_t>(i)] = slot++;
      }
    if (slot > first) expert_tasks_.push_back({expert, first, slot - first});
  }
}

void DecoderCpu::gather_slots(int rank) {
  const ExpertTask& last = expert_tasks_.back();
  const Range range = share(last.first_slot + last.num_slots, rank, team_->size());
  const std::int64_t bytes = widths_.hidden * (type_ == ElementType::float32 ? 4 : 2);
  for (int slot = range.begin; slot < range.end; ++slot) {
    const std::int64_t row = slot_rows_[static_cast<std::size_t>(slot)];
    std::copy_n(static_cast<const char*>(activation(normed_, row * widths_.hidden)), bytes,
                static_cast<char*>(activation(expert_in_, std::int64_t{slot} * widths_.hidden)));
  }
}

void DecoderCpu::multiply_experts(int rank, const std::vector<Linear>& products,
                                  std::vector<float>& x, void* out, std::int64_t out_stride,
                                  Epilogue epilogue) {
  const PackedMatrix& first = products.front().matrix;
  const int blocks = first.num_blocks();
  const std::int64_t out_bytes =
      epilogue == Epilogue::store || type_ == ElementType::float32 ? 4 : 2;
  const ExpertTask& last = expert_tasks_.back();
  const ProductRows slots = product_rows(rank, first, x.data(), last.first_slot + last.num_slots);
  const Range range = share(static_cast<int>(expert_tasks_.size()) * blocks, rank, team_->size());
  for (int at = range.begin; at < range.end;) {
    const ExpertTask& task = expert_tasks_[static_cast<std::size_t>(at / blocks)];
    const int end = std::min(range.end, (at / blocks + 1) * blocks);
    const Linear& linear = products[static_cast<std::size_t>(task.expert)];
    const PackedMatrix& matrix = form_for(linear, task.num_slots);
    ProductRows rows = slots;
    rows.x += task.first_slot * slots.row_bytes;
    MultiplyArgs args = product_args(
        matrix, linear.bias, rows, task.num_slots,
        static_cast<char*>(out) + task.first_slot * out_stride * out_bytes, out_stride, epilogue);
    args.block_begin = at % blocks;
    args.block_end = args.block_begin + end - at;
    run_product(rank, matrix, args);
    at = end;
  }
}

/// A row's sum over its experts, in rising order.
void DecoderCpu::mix_experts(int rank, int rows) {
  const std::int64_t count = config_.experts_per_token;
  const Range range = share(rows, rank, team_->size());
  for (int r = range.begin; r < range.end; ++r) {
    float* sum = block_.data() + std::int64_t{r} * widths_.hidden;
    std::fill_n(sum, widths_.hidden, 0.0f);
    for (std::int64_t k = r * count; k < (r + 1) * count; ++k) {
      const auto choice = static_cast<std::size_t>(k);
      const float* from =
          expert_out_.data() + std::int64_t{slots_of_rows_[choice]} * widths_.hidden;
      for (std::int32_t i = 0; i < widths_.hidden; ++i) sum[i] += chosen_weights_[choice] * from[i];
    }
  }
}

}  // namespace speclab::engines::cpu
