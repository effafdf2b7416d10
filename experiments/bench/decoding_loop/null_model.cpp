#include "experiments/bench/decoding_loop/null_model.h"

#include <algorithm>

namespace speclab::bench {
namespace {

/// Lengths without contents.
class NullCache final : public engines::KvCache {
 public:
  explicit NullCache(std::int32_t capacity) : capacity_(capacity) {}
  std::int32_t begin() override {
    lengths_.push_back(0);
    return static_cast<std::int32_t>(lengths_.size()) - 1;
  }
  std::int32_t fork(std::int32_t sequence) override {
    lengths_.push_back(length(sequence));
    return static_cast<std::int32_t>(lengths_.size()) - 1;
  }
  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override {
    at(sequence) += static_cast<std::int32_t>(rows.size());
  }
  void keep(std::int32_t, std::span<const std::int32_t>) override {}
  void truncate(std::int32_t sequence, std::int32_t length) override { at(sequence) = length; }
  void release(std::int32_t sequence) override { at(sequence) = 0; }
  std::int32_t length(std::int32_t sequence) const override {
    return lengths_[static_cast<std::size_t>(sequence)];
  }
  std::int32_t capacity() const override { return capacity_; }

 private:
  std::int32_t& at(std::int32_t sequence) { return lengths_[static_cast<std::size_t>(sequence)]; }

  std::int32_t capacity_;
  std::vector<std::int32_t> lengths_;
};

}  // namespace

NullModel::NullModel(std::int32_t vocab_size, std::int32_t max_rows)
    : logits_(static_cast<std::size_t>(vocab_size) * static_cast<std::size_t>(max_rows)) {
  info_.name = "null";
  info_.vocab_size = vocab_size;
  info_.context_length = 8192;
  for (std::size_t row = 0; row < static_cast<std::size_t>(max_rows); ++row)
    logits_[row * static_cast<std::size_t>(vocab_size) + 7] = 1.0f;
}

std::unique_ptr<engines::KvCache> NullModel::make_cache(std::int32_t, std::int32_t capacity) {
  return std::make_unique<NullCache>(capacity);
}

engines::ForwardResult NullModel::forward(std::span<const engines::ForwardRow> rows,
                                          engines::KvCache&) {
  const auto wanting =
      static_cast<std::size_t>(std::ranges::count_if(rows, &engines::ForwardRow::wants_logits));
  return {std::span(logits_).first(wanting * static_cast<std::size_t>(info_.vocab_size)),
          info_.vocab_size};
}

}  // namespace speclab::bench
