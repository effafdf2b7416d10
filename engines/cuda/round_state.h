#pragma once
// A sequence that is decoded on the device, round by round, and what the host learns of each round.

#include <cstdint>

#include "engines/cuda/forward_state.h"

namespace speclab::engines::cuda {

inline constexpr int kMaxDraftLength = kMaxRows - 1;

/// A tree's shape by its nodes, level by level and siblings adjacent; the root is node 0.
struct DeviceShape {
  std::uint8_t first_child[kMaxRows], num_children[kMaxRows];
  std::uint8_t parents_before[kMaxRows + 1];  ///< nodes with children among those before this one
};

/// The tree of a round, node by node in the order in which the host adds them; the root, node 0, is
/// the pending token. A law without enough tokens leaves out some of its shape.
struct DraftedTree {
  std::int32_t level_begins[kMaxRows + 1];  ///< first node of every level, the root's being 0, and
                                            ///< the end of the last one
  std::int32_t first_child[kMaxRows], num_children[kMaxRows];
  std::int32_t shape_node[kMaxRows], depth[kMaxRows];
  std::int32_t
      draft_row[kMaxRows];  ///< of the drafter's pass that reads the node, if it has children
  std::uint64_t ancestors[kMaxRows];  ///< bit i: node i is on the path to it, itself included
  std::int32_t is_copy[kMaxRows];     ///< whether the path to it is RoundState's copy
  double mass[kMaxRows];              ///< of the drafter's law without the siblings drawn before it
};

/// A token of a drafter's law.
struct HostLawEntry {
  std::int32_t token;
  float probability;
};

/// A node of a host's draft; the root's token is unused. The law behind it is
/// entries[law_begin] to entries[law_end] of its draft: one entry of probability 1 where a drafter
/// has no law, none behind a leaf.
struct HostNode {
  std::int32_t token, depth, first_child, num_children;
  std::int32_t law_begin, law_end;
  std::uint64_t ancestors;  ///< as DraftedTree's
  double mass;              ///< likewise
};

/// What a mixture copies from the text behind a sequence: a token a level, and how much of the law
/// there belongs to it.
struct CopiedTokens {
  std::int32_t count;  ///< 0 where nothing is copied
  std::int32_t tokens[kMaxDraftLength];
  double shares[kMaxDraftLength];  ///< in (0, 1]
};

/// The host's part of a round, in pinned memory: the host writes it before the round's graph, whose
/// first kernel reads it. All but `copied` is a draft that the host made.
struct HostDraft {
  CopiedTokens copied;  ///< becomes RoundState's
  std::int32_t rows;    ///< nodes, the root included
  const HostLawEntry* entries;
  HostNode nodes[kMaxRows];
};

/// What verification found.
struct RoundOutcome {
  std::int32_t accepted, tested,
      next;  ///< drafted tokens that stand, that were tested, and the token behind those that stand
  std::int32_t is_bonus;        ///< whether nothing was drafted behind those that stand
  std::int32_t drafted, depth;  ///< nodes and levels, the root not counted
};

/// Lives on the device; every round moves it on.
struct RoundState {
  std::int32_t length;             ///< tokens of the sequence; the last one is pending
  std::int32_t previous, pending;  ///< its last two tokens
  std::int32_t forced;  ///< how many drafted tokens, or first children, each round accepts whatever
                        ///< they are, or -1; no kernel writes it
  std::int32_t target_slot, draft_slot;
  std::int32_t draft_shift;  ///< places that the drafter's row of a token stands before the token's
                             ///< own: 1 of one that reads the target's states, else 0
  std::uint32_t sequence, round, serial;
  std::uint64_t seed;
  float inverse_temperature;              ///< 0: arg max
  std::int32_t drafted[kMaxDraftLength];  ///< tokens of nodes 1, 2, ...
  std::int32_t rows;                      ///< of the target's pass: one a node
  std::int32_t best[kMaxRows];  ///< arg max after each node: the drafter's while a tree is drafted,
                                ///< then the target's
  DraftedTree tree;
  CopiedTokens copied;
  RoundOutcome outcome;
  SlotMoves moves;  ///< of the nodes that stand, in both caches: from[i] is the slot of node
                    ///< from[i] - first + 1
  std::int32_t is_damaged;  ///< whether a logit was no finite number
  std::uint64_t times[3];   ///< nanoseconds of the device: begun, drafted, target's pass done
};

/// What the round's last kernel writes into pinned memory; `serial` last.
struct RoundResult {
  RoundOutcome outcome;
  std::int32_t is_damaged;
  std::int32_t tokens[kMaxDraftLength];  ///< those that stand
  std::uint64_t times[4];                ///< RoundState's and the end
  std::uint32_t serial;
};

/// What a pass left for those that choose tokens.
struct PassOutput {
  const float* logits;           ///< [rows, vocab], or [rows, size] of a draft vocabulary
  const struct BestLogit* best;  ///< [rows, blocks]; of a draft vocabulary it names its rows
  std::int32_t blocks;
  const std::int32_t *tokens = nullptr, *rows = nullptr;  ///< as DraftLogits'; null: the logits are
                                                          ///< those of the whole vocabulary
  std::int32_t size = 0;
};

/// Probabilities of one law as exponentials and their common factor.
struct DeviceLaws {
  float* exponentials;  ///< [laws, vocab]
  double* sums;         ///< [laws]
  std::int32_t vocab;
};

}  // namespace speclab::engines::cuda
