#pragma once
// Attention of a few queries at a time over cached keys and values.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engines/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

/// Blocks of keys, or vectors of the head, that are taken together; with kMaxAttendQueries queries
/// their sums fit into the registers.
constexpr int kTogether = kVectorRegisters < 8 ? 1 : kVectorRegisters / 8;

/// Scores of `Queries` queries, and what they become.
template <int Queries>
struct Scores {
  explicit Scores(const AttendArgs& args)
      : stride((args.num_slots + kKeyBlock - 1) / kKeyBlock * kKeyBlock),
        by_slot(args.scores),
        by_position(args.scores + Queries * stride) {}

  std::int64_t stride;
  float* by_slot;      ///< [Queries, stride]
  float* by_position;  ///< [Queries, stride], room for scores that are not in order of position
  const float* weights[Queries] = {};
  float scale[Queries] = {};
};

/// Scaled dot products with `Blocks` blocks of keys, each lane a sum over the head in ascending
/// order.
template <typename Cached, int Queries, int Blocks>
inline void score_blocks(const AttendArgs& args, int first_block, const Scores<Queries>& scores) {
  const std::int64_t block_values = static_cast<std::int64_t>(args.head_dim) * kKeyBlock;
  const Cached* keys = static_cast<const Cached*>(args.keys) + first_block * block_values;
  Vector sum[Queries][Blocks] = {};
  for (int d = 0; d < args.head_dim; ++d) {
    Vector key[Blocks];
    unrolled<Blocks>([&](auto b) __attribute__((always_inline)) {
      key[b] = load_as(keys + b * block_values + d * kKeyBlock);
    });
    unrolled<Queries>([&](auto q) __attribute__((always_inline)) {
      const Register query = splat_register(args.queries[q].query[d]);
      unrolled<Blocks>(
          [&](auto b) __attribute__((always_inline)) { sum[q][b] = sum[q][b] + key[b] * query; });
    });
  }
  for (int q = 0; q < Queries; ++q)
    for (int b = 0; b < Blocks; ++b) {
      const Vector score = sum[q][b] * args.scale;
      store(scores.by_slot + q * scores.stride + (first_block + b) * kKeyBlock,
            args.soft_cap > 0 ? capped(score, args.soft_cap) : score);
    }
}

/// First slot of the block of keys in which a window begins.
inline int window_block(int begin) { return begin / kKeyBlock * kKeyBlock; }

template <typename Cached, int Queries>
inline void score(const AttendArgs& args, const Scores<Queries>& scores) {
  const int blocks = static_cast<int>(scores.stride / kKeyBlock);
  int begin = args.queries[0].begin;
  for (int q = 1; q < Queries; ++q)
    begin = args.queries[q].begin < begin ? args.queries[q].begin : begin;
  int block = begin / kKeyBlock;
  for (; block + kTogether <= blocks; block += kTogether)
    score_blocks<Cached, Queries, kTogether>(args, block, scores);
  for (; block < blocks; ++block) score_blocks<Cached, Queries, 1>(args, block, scores);
}

/// The visible scores in order of position, -infinity before the window and behind the last up to
/// whole vectors; in place where they are in that order.
inline float* order_scores(const AttendQuery& query, float* by_slot, float* by_position) {
  const int count = query.prefix + query.num_extra;
  float* ordered = query.num_extra == 0 ? by_slot : by_position;
  if (query.num_extra > 0)
    std::memcpy(ordered, by_slot, sizeof(float) * static_cast<std::size_t>(query.prefix));
  for (int i = 0; i < query.num_extra; ++i) ordered[query.prefix + i] = by_slot[query.extra[i]];
  for (int i = window_block(query.begin); i < query.begin; ++i) ordered[i] = -INFINITY;
  for (int i = count; i % kLanes != 0; ++i) ordered[i] = -INFINITY;
  return ordered;
}

/// Turns scores into exponentials of the distance to the largest. @return their sum
inline float exponentiate(float* scores, int count) {
  Vector largest = splat(-INFINITY);
  for (int i = 0; i < count; i += kLanes) largest = larger(load(scores + i), largest);
  const Vector top = splat(lane_max(largest));
  Vector sum = {};
  for (int i = 0; i < count; i += kLanes) {
    const Vector e = exp_nonpositive(load(scores + i) - top);
    store(scores + i, e);
    sum = sum + e;
  }
  return lane_sum(sum);
}

template <int Queries>
inline void weigh_scores(const AttendArgs& args, Scores<Queries>& scores) {
  for (int q = 0; q < Queries; ++q) {
    const AttendQuery& query = args.queries[q];
    float* ordered = order_scores(query, scores.by_slot + q * scores.stride,
                                  scores.by_position + q * scores.stride);
    const int begin = window_block(query.begin);
    scores.scale[q] = 1.0f / exponentiate(ordered + begin, query.prefix + query.num_extra - begin);
    scores.weights[q] = ordered;
  }
}

/// Slots [begin, end) that every query of a tile sees and no window hides.
struct SharedSlots {
  int begin, end;
};

template <int Queries>
inline SharedSlots shared_slots(const AttendArgs& args) {
  SharedSlots shared{args.queries[0].begin, args.queries[0].prefix};
  for (int q = 1; q < Queries; ++q) {
    shared.begin = args.queries[q].begin > shared.begin ? args.queries[q].begin : shared.begin;
    shared.end = args.queries[q].prefix < shared.end ? args.queries[q].prefix : shared.end;
  }
  if (shared.begin >= shared.end) shared = {args.num_slots, args.num_slots};
  return shared;
}

/// Sums of weighted values for `Vectors` vectors of the head, in order of position: the slots that
/// all queries see together, the others query by query.
template <typename Cached, int Queries, int Vectors>
inline void weigh_values(const AttendArgs& args, const Scores<Queries>& scores, int first_dim) {
  Vector sum[Queries][Vectors] = {};
  const auto value = [&](int slot, int v) {
    return load_as(static_cast<const Cached*>(args.values) +
                   static_cast<std::int64_t>(slot) * args.head_dim + first_dim + v * kLanes);
  };
  const SharedSlots shared = shared_slots<Queries>(args);
  const auto add = [&](auto q, int slot, float weight) __attribute__((always_inline)) {
    unrolled<Vectors>([&](auto v) __attribute__((always_inline)) {
      sum[q][v] = sum[q][v] + value(slot, v) * splat_register(weight);
    });
  };
  unrolled<Queries>([&](auto q) __attribute__((always_inline)) {
    const AttendQuery& query = args.queries[q];
    const int end = query.prefix < shared.begin ? query.prefix : shared.begin;
    for (int j = query.begin; j < end; ++j) add(q, j, scores.weights[q][j]);
  });
  for (int j = shared.begin; j < shared.end; ++j) {
    Vector values[Vectors];
    unrolled<Vectors>([&](auto v) __attribute__((always_inline)) { values[v] = value(j, v); });
    unrolled<Queries>([&](auto q) __attribute__((always_inline)) {
      const Register weight = splat_register(scores.weights[q][j]);
      unrolled<Vectors>([&](auto v) __attribute__((always_inline)) {
        sum[q][v] = sum[q][v] + values[v] * weight;
      });
    });
  }
  unrolled<Queries>([&](auto q) __attribute__((always_inline)) {
    const AttendQuery& query = args.queries[q];
    const float* weights = scores.weights[q];
    for (int j = shared.end; j < query.prefix; ++j) add(q, j, weights[j]);
    for (int j = query.begin > query.prefix ? query.begin - query.prefix : 0; j < query.num_extra;
         ++j)
      add(q, query.extra[j], weights[query.prefix + j]);
    unrolled<Vectors>([&](auto v) {
      store(query.weighted + first_dim + v * kLanes, sum[q][v] * scores.scale[q]);
    });
  });
}

template <typename Cached, int Queries>
void attend_tile(const AttendArgs& args) {
  Scores<Queries> scores(args);
  score<Cached>(args, scores);
  weigh_scores(args, scores);
  int dim = 0;
  for (; dim + kTogether * kLanes <= args.head_dim; dim += kTogether * kLanes)
    weigh_values<Cached, Queries, kTogether>(args, scores, dim);
  for (; dim < args.head_dim; dim += kLanes) weigh_values<Cached, Queries, 1>(args, scores, dim);
}

template <typename Cached, int Queries = kMaxAttendQueries>
void attend_as(const AttendArgs& args) {
  if constexpr (Queries > 1) {
    if (args.num_queries < Queries) return attend_as<Cached, Queries - 1>(args);
  }
  attend_tile<Cached, Queries>(args);
}

void attend(const AttendArgs& args) {
  if (args.cache_type == ElementType::float32) return attend_as<float>(args);
  attend_as<BFloat16>(args);
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
