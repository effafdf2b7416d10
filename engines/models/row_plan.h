#pragma once
// Where the rows of a forward go in the cache and what each of them sees; shared by all KV caches.

#include <cstdint>
#include <span>
#include <vector>

#include "engines/interface/language_model.h"

namespace speclab::engines {

/// One row of the running forward.
struct PlacedRow {
  std::int32_t sequence = 0;
  std::int32_t slot = 0;  ///< where its key and value go
  std::int32_t parent = ForwardRow::kCommitted;
  std::int32_t prefix = 0;  ///< it sees slots [0, prefix) ...
  std::int32_t extra_begin =
      0;  ///< ... and extra[extra_begin, extra_begin + extra_count), ascending in position
  std::int32_t extra_count = 0;
};

/// Limits that rows must keep to.
struct RowLimits {
  std::int32_t vocab_size = 0, context_length = 0;
  bool have_features = false;  ///< every row brings a feature, or none does
};

/// Committed lengths of a set of sequences, and the placement of the rows of the last forward.
class RowPlan {
 public:
  RowPlan(std::int32_t max_sequences, std::int32_t capacity);

  std::int32_t begin();
  void release(std::int32_t sequence);
  void set_length(std::int32_t sequence, std::int32_t length);
  /// @throws ContractError if `length` is beyond what is committed
  void truncate(std::int32_t sequence, std::int32_t length);
  std::int32_t length(std::int32_t sequence) const;
  std::int32_t capacity() const { return capacity_; }

  /// Places the rows after their sequences' committed entries; forgets the rows placed before.
  /// @throws ContractError if a row breaks the rules of ForwardRow or the capacity is exceeded
  void place(std::span<const ForwardRow> rows, const RowLimits& limits);
  std::span<const PlacedRow> rows() const { return rows_; }
  std::span<const std::int32_t> extra(const PlacedRow& row) const {
    return std::span(extra_).subspan(static_cast<std::size_t>(row.extra_begin),
                                     static_cast<std::size_t>(row.extra_count));
  }
  /// The end of the slots of `sequence` in use, uncommitted rows included.
  std::int32_t slots_in_use(std::int32_t sequence) const;

  /// Checks that the rows are a path of `sequence` that continues its committed entries, then
  /// counts them as committed.
  /// @return the slots they were in, in order; their contents belong at the committed end
  std::span<const std::int32_t> commit(std::int32_t sequence, std::span<const std::int32_t> rows);
  /// A slot's contents move.
  struct Move {
    std::int32_t from, to;
  };
  /// Makes the paths to these rows the sequence's branches, and commits what they share.
  /// @return the moves that put the shared slots at the committed end, to be made in this order
  std::span<const Move> keep(std::int32_t sequence, std::span<const std::int32_t> rows);

 private:
  using Path = std::vector<std::int32_t>;  ///< slots behind the committed ones, in order
  struct State {
    bool in_use = false;
    std::int32_t length = 0;
    std::int32_t placed = 0;
    std::int32_t end = 0;  ///< behind the last slot of branches and placed rows
    std::vector<Path> branches{};
    std::vector<bool> taken{};  ///< by slot, where there are branches
  };
  State& state(std::int32_t sequence);
  const State& state(std::int32_t sequence) const;
  PlacedRow place_row(std::span<const ForwardRow> rows, std::size_t index);
  /// The row with what its parent sees: another row of the forward, a branch, or committed slots.
  PlacedRow behind_parent(std::span<const ForwardRow> rows, std::size_t index);
  std::int32_t free_slot(State& s);
  Path path_of(const State& s, std::int32_t row) const;
  void mark_taken(State& s);
  void commit_shared(State& s);

  std::int32_t capacity_;
  std::vector<State> states_;
  std::vector<PlacedRow> rows_;
  bool placed_all_ = false;  ///< false after a refused place
  std::vector<std::int32_t> extra_;
  std::vector<std::int32_t> committed_slots_;
  std::vector<Move> moves_;
};

/// A cache that places its rows by a plan.
class PlannedKvCache : public KvCache {
 public:
  std::int32_t begin() final { return plan_.begin(); }
  std::int32_t fork(std::int32_t sequence) final {
    const std::int32_t copy = plan_.begin();
    copy_entries(sequence, copy);
    plan_.set_length(copy, plan_.length(sequence));
    return copy;
  }
  void truncate(std::int32_t sequence, std::int32_t length) final {
    plan_.truncate(sequence, length);
  }
  void release(std::int32_t sequence) final { plan_.release(sequence); }
  std::int32_t length(std::int32_t sequence) const final { return plan_.length(sequence); }
  std::int32_t capacity() const final { return plan_.capacity(); }

  RowPlan& plan() { return plan_; }

 protected:
  PlannedKvCache(std::int32_t max_sequences, std::int32_t capacity)
      : plan_(max_sequences, capacity) {}
  /// Copies the committed entries of the sequence `from` to the sequence `to`.
  virtual void copy_entries(std::int32_t from, std::int32_t to) = 0;

  RowPlan plan_;
};

}  // namespace speclab::engines
