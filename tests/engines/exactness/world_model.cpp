#include "tests/engines/exactness/world_model.h"

#include <cmath>

#include "sim/system/errors.h"

namespace speclab::engines::testing {
namespace {

using speclab::testing::SmallWorld;
using speclab::testing::Tokens;

struct Entry {
  Token token;
  std::int32_t position;
};

class WorldCache final : public KvCache {
 public:
  WorldCache(std::int32_t max_sequences, std::int32_t capacity)
      : committed_(static_cast<std::size_t>(max_sequences)), capacity_(capacity) {}

  std::int32_t begin() override {
    SPECLAB_EXPECT(num_begun_ < committed_.size(), "every sequence of the cache is in use");
    return static_cast<std::int32_t>(num_begun_++);
  }
  std::int32_t fork(std::int32_t sequence) override {
    const std::int32_t copy = begin();
    at(copy) = at(sequence);
    return copy;
  }
  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override {
    for (const std::int32_t row : rows)
      at(sequence).push_back({rows_[static_cast<std::size_t>(row)].token,
                              rows_[static_cast<std::size_t>(row)].position});
  }
  void keep(std::int32_t, std::span<const std::int32_t> rows) override {
    std::vector<std::vector<Entry>> branches;
    for (const std::int32_t row : rows) branches.push_back(behind_committed(row));
    branches_ = std::move(branches);
  }
  void truncate(std::int32_t sequence, std::int32_t length) override {
    at(sequence).resize(static_cast<std::size_t>(length));
  }
  void release(std::int32_t sequence) override {
    at(sequence).clear();
    --num_begun_;
  }
  std::int32_t length(std::int32_t sequence) const override {
    return static_cast<std::int32_t>(committed_[static_cast<std::size_t>(sequence)].size());
  }
  std::int32_t capacity() const override { return capacity_; }

  void set_rows(std::span<const ForwardRow> rows) { rows_.assign(rows.begin(), rows.end()); }

  /// What row `index` sees, itself last, as tokens by their places; one at another position is
  /// another token.
  Tokens visible(std::size_t index, int vocab_size) const {
    std::vector<Entry> entries = behind_committed(static_cast<std::int32_t>(index));
    const std::vector<Entry>& committed =
        committed_[static_cast<std::size_t>(rows_[index].sequence)];
    entries.insert(entries.begin(), committed.begin(), committed.end());
    Tokens tokens;
    for (const Entry& entry : entries)
      tokens.push_back(entry.token +
                       vocab_size * (entry.position - static_cast<std::int32_t>(tokens.size())));
    return tokens;
  }

 private:
  /// The path to a row, itself last, from the committed entries or a branch on.
  std::vector<Entry> behind_committed(std::int32_t row) const {
    std::vector<Entry> entries;
    for (; row >= 0; row = rows_[static_cast<std::size_t>(row)].parent)
      entries.insert(entries.begin(), {rows_[static_cast<std::size_t>(row)].token,
                                       rows_[static_cast<std::size_t>(row)].position});
    if (row == ForwardRow::kCommitted) return entries;
    std::vector<Entry> path = branches_.at(static_cast<std::size_t>(ForwardRow::branch(row)));
    path.insert(path.end(), entries.begin(), entries.end());
    return path;
  }

  std::vector<Entry>& at(std::int32_t sequence) {
    return committed_[static_cast<std::size_t>(sequence)];
  }

  std::vector<std::vector<Entry>> committed_;
  std::size_t num_begun_ = 0;
  std::int32_t capacity_;
  std::vector<ForwardRow> rows_;
  std::vector<std::vector<Entry>> branches_;  ///< of one sequence; nothing of them is committed
};

class WorldModel final : public LanguageModel {
 public:
  WorldModel(const SmallWorld& world, Side side) : world_(world), side_(side) {
    info_.name = "a small world";
    info_.vocab_size = world.vocab_size();
    info_.context_length = 64;
  }
  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override {
    return std::make_unique<WorldCache>(max_sequences, capacity);
  }
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override {
    auto& entries = dynamic_cast<WorldCache&>(cache);
    entries.set_rows(rows);
    logits_.clear();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row].wants_logits) continue;
      const Tokens prefix = entries.visible(row, world_.vocab_size());
      for (const double p : side_ == Side::target ? world_.target(prefix) : world_.draft(prefix))
        logits_.push_back(static_cast<float>(std::log(p)));
    }
    return {logits_, info_.vocab_size};
  }

 private:
  SmallWorld world_;
  Side side_;
  ModelInfo info_;
  std::vector<float> logits_;
};

}  // namespace

std::unique_ptr<LanguageModel> make_world_model(const SmallWorld& world, Side side) {
  return std::make_unique<WorldModel>(world, side);
}

}  // namespace speclab::engines::testing
