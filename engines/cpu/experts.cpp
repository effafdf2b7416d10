// Feed-forwards of experts (Shazeer et al. 2017): every row goes through the few that its router
// likes best. Rows of an expert stand side by side, so that its weights are read once.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

/// The most likely experts of a row in rising order, and their weights.
void choose_experts(const DecoderShape& shape, ExpertRoom& room, int row) {
  const std::int32_t num_experts = shape.num_experts;
  float* laws = room.router_logits.data() + std::int64_t{row} * num_experts;
  const float largest = *std::max_element(laws, laws + num_experts);
  for (int e = 0; e < num_experts; ++e) laws[e] = std::exp(laws[e] - largest);
  const float all = std::accumulate(laws, laws + num_experts, 0.0f);
  const auto count = static_cast<std::int64_t>(shape.experts_per_token);
  std::int32_t* chosen = room.chosen.data() + row * count;
  float* weights = room.weights.data() + row * count;
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
      shape.normalised_experts ? std::accumulate(weights, weights + count, 0.0f) : all;
  for (std::int64_t k = 0; k < count; ++k) weights[k] /= total;
}

void route_rows(const Worker& worker, const Experts& experts, int rows) {
  const auto& [model, room, rank] = worker;
  multiply(worker, experts.router,
           {room.normed.data(), rows, room.experts.router_logits.data(), model.shape.num_experts});
  worker.barrier();
  const Range range = worker.share(rows);
  for (int r = range.begin; r < range.end; ++r) choose_experts(model.shape, room.experts, r);
}

/// Slots by expert, in rising order of rows.
void plan_experts(const DecoderShape& shape, ExpertRoom& room, int rows) {
  const int choices = rows * shape.experts_per_token;
  room.tasks.clear();
  int slot = 0;
  for (std::int32_t expert = 0; expert < shape.num_experts; ++expert) {
    const int first = slot;
    for (int i = 0; i < choices; ++i)
      if (room.chosen[static_cast<std::size_t>(i)] == expert) {
        room.slot_rows[static_cast<std::size_t>(slot)] = i / shape.experts_per_token;
        room.slots_of_rows[static_cast<std::size_t>(i)] = slot++;
      }
    if (slot > first) room.tasks.push_back({expert, first, slot - first});
  }
}

void gather_slots(const Worker& worker) {
  const auto& [model, room, rank] = worker;
  const std::int32_t hidden = model.widths.hidden;
  const ExpertTask& last = room.experts.tasks.back();
  const Range range = worker.share(last.first_slot + last.num_slots);
  const std::int64_t bytes = hidden * element_bytes(model.type);
  for (int slot = range.begin; slot < range.end; ++slot) {
    const std::int64_t row = room.experts.slot_rows[static_cast<std::size_t>(slot)];
    std::copy_n(
        static_cast<const char*>(worker.activation(room.normed, row * hidden)), bytes,
        static_cast<char*>(worker.activation(room.experts.in, std::int64_t{slot} * hidden)));
  }
}

/// @param all  of the slots @return the part that is the task's
Product part_of(const Product& all, const ExpertTask& task, ElementType type) {
  const std::int64_t out_bytes = all.epilogue == Epilogue::store ? 4 : element_bytes(type);
  Product part = all;
  part.rows = task.num_slots;
  part.out = static_cast<char*>(all.out) + task.first_slot * all.out_stride * out_bytes;
  return part;
}

/// The slots' product with the matrices of their experts.
/// @param product  of all slots
void multiply_experts(const Worker& worker, const std::vector<Linear>& experts,
                      const Product& product) {
  const std::vector<ExpertTask>& tasks = worker.room.experts.tasks;
  const PackedMatrix& first = experts.front().matrix;
  const int blocks = first.num_blocks();
  const ProductRows slots = product_rows(worker, first, product);
  const Range range = worker.share(static_cast<int>(tasks.size()) * blocks);
  for (int at = range.begin; at < range.end;) {
    const ExpertTask& task = tasks[static_cast<std::size_t>(at / blocks)];
    const int end = std::min(range.end, (at / blocks + 1) * blocks);
    const Linear& linear = experts[static_cast<std::size_t>(task.expert)];
    ProductRows rows = slots;
    rows.x += task.first_slot * slots.row_bytes;
    MultiplyArgs args =
        product_args(worker.model, linear, rows, part_of(product, task, worker.model.type));
    args.block_begin = at % blocks;
    args.block_end = args.block_begin + end - at;
    run_product(worker, worker.model.form_for(linear, task.num_slots), args);
    at = end;
  }
}

/// A row's sum over its experts, in rising order.
void mix_experts(const Worker& worker, int rows) {
  const auto& [model, room, rank] = worker;
  const std::int32_t hidden = model.widths.hidden;
  const std::int64_t count = model.shape.experts_per_token;
  const Range range = worker.share(rows);
  for (int r = range.begin; r < range.end; ++r) {
    float* sum = room.block.data() + std::int64_t{r} * hidden;
    std::fill_n(sum, hidden, 0.0f);
    for (std::int64_t k = r * count; k < (r + 1) * count; ++k) {
      const auto choice = static_cast<std::size_t>(k);
      const float weight = room.experts.weights[choice];
      const float* from =
          room.experts.out.data() + std::int64_t{room.experts.slots_of_rows[choice]} * hidden;
      for (std::int32_t i = 0; i < hidden; ++i) sum[i] += weight * from[i];
    }
  }
}

}  // namespace

void run_experts(const Worker& worker, const Layer& layer, int rows) {
  const auto& [model, room, rank] = worker;
  const Widths& widths = model.widths;
  ExpertRoom& of_experts = room.experts;
  route_rows(worker, layer.experts, rows);
  worker.barrier();
  if (rank == 0) plan_experts(model.shape, of_experts, rows);
  worker.barrier();
  gather_slots(worker);
  worker.barrier();
  const int slots = rows * model.shape.experts_per_token;
  multiply_experts(worker, layer.experts.first,
                   {of_experts.in.data(), slots, of_experts.inner.data(), widths.expert,
                    first_epilogue(model.shape)});
  worker.barrier();
  multiply_experts(worker, layer.experts.down,
                   {of_experts.inner.data(), slots, of_experts.out.data(), widths.hidden});
  worker.barrier();
  mix_experts(worker, rows);
  finish_block(worker, layer.feed_forward_output_norm, rows);
  worker.barrier();
}

}  // namespace speclab::engines::cpu
