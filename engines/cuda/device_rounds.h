#pragma once
// Rounds of one sequence that stay on the device: every draft length, or number of levels of a
// tree, is one graph, from the first drafted token to the record that the host polls.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engines/cuda/device_llama.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "engines/cuda/pinned_draft.h"
#include "engines/cuda/round_state.h"
#include "sim/core/token_tree.h"

namespace speclab::engines::cuda {

/// The shape of the trees that rounds on the device draft: as the kernels read it, and how many
/// nodes and rows its levels have.
class TreePlan {
 public:
  /// @param shape  at most kMaxDraftLength nodes, else ContractError
  explicit TreePlan(const TreeShape& shape);

  const DeviceShape& shape() const { return shape_; }
  std::int32_t depth() const { return static_cast<std::int32_t>(nodes_.size()) - 1; }
  /// Of a level, the root's being 0; those with children are what the drafter reads of it.
  std::int32_t nodes_on(std::int32_t level) const {
    return nodes_[static_cast<std::size_t>(level)];
  }
  std::int32_t parents_on(std::int32_t level) const {
    return parents_[static_cast<std::size_t>(level)];
  }
  /// On levels 0 to `level`.
  std::int32_t nodes_to(std::int32_t level) const;

 private:
  DeviceShape shape_{};
  std::vector<std::int32_t> nodes_, parents_;
};

/// A model and the cache that holds the sequence.
struct CachedModel {
  const DeviceLlama* model = nullptr;
  KvCacheCuda* cache = nullptr;
  std::int32_t slot = 0;
};

/// A sequence as it stands before its first round.
struct RoundSequence {
  std::uint32_t id = 0;
  std::span<const Token> tokens;
  std::span<const float> last_state{};  ///< the target's behind all tokens but the last one, as far
                                        ///< as the drafter reads states; of one token none
};

struct DeviceRoundOptions {
  TreeShape shape{};  ///< of every draft, at most kMaxDraftLength nodes; without nodes or of one
                      ///< child each: chains
  double temperature = 0.0;
  std::uint64_t seed = 0;
  bool drafts_on_host = false;  ///< drafts are given, and no model drafts
  bool mixes_copies = false;    ///< laws of the drafter's model are mixed with copies of the text
};

class DeviceRounds {
 public:
  /// @param draft  no model where nothing is drafted, or the host drafts
  DeviceRounds(const DeviceLlama& target, const DeviceLlama* draft,
               const DeviceRoundOptions& options);

  /// Tokens of a path of the longest draft.
  std::int32_t max_length() const { return max_length_; }

  /// Begins a sequence. The target's cache holds all its tokens but the last one, then and before
  /// every round. The drafter's must hold all but the last two before a round that drafts; of one
  /// that reads states, the rows of all but the last token before the first round that
  /// reads_path(), and nothing is to be done later.
  void begin(const CachedModel& target, const CachedModel& draft, const RoundSequence& sequence);
  /// Whether the next round's drafter reads what the round before has left: one that reads states
  /// does so in every round, as far as its context goes.
  bool reads_path() const {
    return num_features_ > 0 && tokens_ > 1 && tokens_ <= draft_->config().context_length;
  }
  /// Of a draft of this length. @param length  tokens to draft, or levels of the tree, at most
  /// max_length()
  DraftSize size_of(std::int32_t length) const { return {rows_of(length), length}; }
  /// Hands over the draft of the next round. Only where drafts are the host's.
  /// @throws ContractError if it has more nodes than a pass has rows, or another order of them
  DraftSize take(const Draft& draft) { return host_draft_.fill(draft, max_rows()); }
  /// Hands over what the next round mixes with the laws of the drafter's model; none where nothing
  /// is copied. @param shares  of the laws, a token each
  void copy(std::span<const Token> tokens, std::span<const double> shares) {
    host_draft_.copy(tokens, shares);
  }
  /// Captures the graph of a round of this size unless there is one for so long a sequence. It
  /// takes some milliseconds and belongs to no round's time.
  void prepare(const DraftSize& size) { graph(size); }
  /// Runs a round and waits for it. @param size  what size_of or take has said
  /// @param forced  how many tokens or levels to accept whatever they are, or -1
  const RoundResult& run(const DraftSize& size, std::int32_t forced);

 private:
  /// Tokens to draft, or levels of the tree, rows of the target's pass, and an upper bound of the
  /// slots in use at the round's end: it decides how many splits are captured. The drafter's first
  /// pass has up to path_rows, or reads no path where there are none.
  struct Extent {
    std::int32_t length, rows, slots, path_rows;
  };
  /// What the rounds from the next on accept whatever it is, or -1.
  void force(std::int32_t accepted);
  void put_begin(const Extent& extent);
  /// One pass of the drafter, and the states behind it where another pass follows.
  void put_draft_pass(const Extent& extent, std::int32_t level, std::int32_t rows);
  void put_target_pass(const Extent& extent);
  PassStates states_for_draft(std::int32_t level) const;
  void put_chain_round(const Extent& extent);
  void put_chain(const Extent& extent);
  void put_tree_round(const Extent& extent);
  void put_tree(const Extent& extent);
  /// @param is_chain  its accepted nodes stand where they belong
  void put_hosts_round(const Extent& extent, bool is_chain);
  /// The target's pass over the tree, and the laws behind its nodes.
  void put_tree_pass(const Extent& extent, int levels);
  std::int32_t rows_of(std::int32_t length) const {
    return tree_ ? tree_->nodes_to(length) : length + 1;
  }
  std::int32_t max_rows() const { return rows_of(max_length_); }
  const Graph& graph(const DraftSize& size);
  void put_round(const Extent& extent, bool is_chain);
  void wait_for(std::uint32_t serial) const;
  DeviceLaws draft_laws() const {
    return {draft_exponentials_.data(), draft_sums_.data(), target_.config().vocab_size};
  }
  DeviceLaws target_laws() const {
    return {target_exponentials_.data(), target_sums_.data(), target_.config().vocab_size};
  }

  const DeviceLlama& target_;
  const DeviceLlama* draft_;
  std::optional<TreePlan> tree_;  ///< none of chains
  bool drafts_on_host_, mixes_copies_;
  std::int32_t num_features_;  ///< states of the target that the drafter reads beside a token
  std::int32_t max_length_;
  float inverse_temperature_;
  std::uint64_t seed_;
  CachedModel in_target_, in_draft_;
  std::array<std::uint64_t, 2>
      generations_{};  ///< of the caches that the graphs were captured over
  DeviceArray<RoundState> state_;
  DeviceArray<ForwardState> target_state_, draft_state_;
  DeviceArray<float> target_exponentials_, draft_exponentials_, remainder_;
  DeviceArray<double> target_sums_, draft_sums_;
  DeviceArray<float> target_states_;  ///< [num_features_, kMaxRows, hidden], of the last pass
  DeviceArray<float> draft_states_;   ///< [kMaxRows, hidden], the drafter's own of its last pass
  PinnedArray<RoundResult> result_;
  PinnedArray<std::int32_t> forced_{1};  ///< the state's, on its way there
  PinnedDraft host_draft_;
  std::int32_t tokens_ = 0;  ///< of the sequence
  std::int32_t path_ = 0;    ///< drafted tokens that the last round accepted
  std::map<std::array<std::int32_t, 5>, Graph>
      graphs_;  ///< by the draft's levels, or -1 for a host's tree and 0 for a host's chain, by
                ///< rows, by the path's rows and by the splits of target and drafter
  std::uint32_t serial_ = 0;
};

}  // namespace speclab::engines::cuda
