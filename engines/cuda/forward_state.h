#pragma once
// What the kernels of one forward read from device memory, so that a captured graph serves every
// position and draft.

#include <cstdint>

namespace speclab::engines::cuda {

inline constexpr int kMaxRows = 64;      ///< of one pass through the layers
inline constexpr int kMostFeatures = 3;  ///< states that stand beside a token

/// Warps of one block of attention, each of which reads 32 keys of the cache: as many as registers
/// allow, since parts of different blocks are joined through memory.
constexpr int warps_of_attention(int head_dim) { return head_dim > 64 ? 8 : 16; }
/// Keys of the cache that one block of attention reads.
constexpr int keys_per_split(int head_dim) { return 32 * warps_of_attention(head_dim); }

/// One row of the pass. It sees slots [0, prefix) and those of `extra`, whose bit i is slot base +
/// i.
struct DeviceRow {
  std::int32_t token, position, sequence, slot;
  std::int32_t prefix, base;
  std::uint64_t extra;
};

/// Consecutive rows of one sequence, which attend together.
struct DeviceGroup {
  std::int32_t first, count, sequence;
  std::int32_t end;        ///< slots in use, those of these rows included
  std::int32_t committed;  ///< slots that no row of this pass writes
};

/// The rows of one pass. Kernels of a pass that start `overlapping` read it, and the keys and
/// values of committed slots, before they wait for the kernel in front of them. Two rules keep that
/// right; overlapping_starts_test.cpp runs passes in an order that shows where one is broken:
/// - Who writes a ForwardState (a copy from the host, begin_round, begin_feature_round,
/// choose_draft, add_children, begin_verification, begin_tree_verification) has ended before a
/// kernel of the pass begins: the first kernel behind the writer, embed or fuse_inputs, starts
/// `in_turn`.
/// - Who writes committed slots (the copies of a fork, move_slots) starts `in_turn`, and so does
/// the first kernel behind it.
struct ForwardState {
  std::int32_t num_rows, num_wanting, num_groups, padding;
  std::int32_t wanting[kMaxRows];  ///< rows that want logits or hidden states
  DeviceRow rows[kMaxRows];
  DeviceGroup groups[kMaxRows];
  std::int32_t states[kMaxRows];  ///< of a feature transformer: the row that each row's states have
                                  ///< in PassStates
};

/// Entries of a sequence that move to slots first, first + 1, ...; from[i] >= first + i, ascending.
struct SlotMoves {
  std::int32_t first, count;
  std::int32_t from[kMaxRows];
};

}  // namespace speclab::engines::cuda
