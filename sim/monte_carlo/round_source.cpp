#include "sim/monte_carlo/round_source.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// Levels up to the first whose confidence is below `least`, at most `most`; the last of `levels`
/// holds for all later ones.
int first_below(std::span<const double> levels, double least, int most) {
  const auto first =
      std::ranges::find_if(levels, [least](double confidence) { return confidence < least; });
  return first == levels.end() ? most
                               : std::min(most, static_cast<int>(first - levels.begin()) + 1);
}

}  // namespace

DraftTree::DraftTree(const TreeShape& shape, std::vector<double> rank_acceptance)
    : rank_acceptance_(std::move(rank_acceptance)) {
  SPECLAB_EXPECT(!rank_acceptance_.empty(), "rank_acceptance is empty");
  expect_rank_acceptance(rank_acceptance_);
  const double left = 1.0 - rank_acceptance_[0];
  double caught = 0.0;
  for (std::size_t rank = 0; rank < rank_acceptance_.size(); ++rank) {
    if (rank > 0 && left > 0.0) caught = std::min(1.0, caught + rank_acceptance_[rank] / left);
    sibling_share_.push_back(caught);
  }
  nodes_.resize(static_cast<std::size_t>(shape.num_nodes()) + 1);
  std::vector<int> depths{0};
  rows_of_depth_.push_back(1);
  for (std::size_t child = 1; child < nodes_.size(); ++child) {
    const auto parent = static_cast<std::size_t>(shape.parents()[child - 1]);
    if (nodes_[parent].children++ == 0) nodes_[parent].first_child = static_cast<int>(child);
    SPECLAB_EXPECT(
        static_cast<std::size_t>(nodes_[parent].children) <= rank_acceptance_.size(),
        "node " + std::to_string(parent) + " has more children than rank_acceptance has entries");
    depths.push_back(depths[parent] + 1);
    if (static_cast<std::size_t>(depths.back()) == rows_of_depth_.size())
      rows_of_depth_.push_back(rows_of_depth_.back());
    ++rows_of_depth_.back();
  }
}

RoundSource::RoundSource(AcceptanceProcess& process, std::uint64_t seed,
                         const std::optional<DraftTree>& tree)
    : process_(process), stream_(seed), tree_(tree ? &*tree : nullptr) {
  SPECLAB_EXPECT(
      tree_ == nullptr || !process.is_logged(),
      "process " + process.name() + " does not know what follows a sibling; it has chains only");
}

void RoundSource::begin(std::uint32_t sequence) {
  sequence_ = sequence;
  block_size_ = 0;
  process_.begin(stream_, sequence);
  fixed_ = !process_.fixed_levels().empty();
  available_ = kMaxLevels;
  survival_ = 1.0;
  thresholds_.clear();
}

/// A sequence begins with a small block, since many are short.
void RoundSource::draw_block(std::uint32_t first_round) {
  block_begin_ = first_round;
  block_size_ = block_size_ == 0 ? kBlock / 2 : kBlock;
  const std::span bits = std::span(bits_).first(block_size_);
  fill_bits(stream_, {sequence_, first_round, Purpose::accept, 1}, bits);
  if (!fixed_) return;
  threshold(kWideLevels - 1);
  count_thresholds_above(bits, std::span(thresholds_).first(kWideLevels),
                         std::span(runs_).first(block_size_));
}

std::uint64_t RoundSource::threshold(int level) {
  const std::span<const double> levels = process_.fixed_levels();
  while (thresholds_.size() <= static_cast<std::size_t>(level)) {
    survival_ *= levels[std::min(thresholds_.size(), levels.size() - 1)];
    thresholds_.push_back(bits_threshold(survival_));
  }
  return thresholds_[static_cast<std::size_t>(level)];
}

int RoundSource::drafted_levels(int levels, double stop_below) {
  const int most = std::min(levels, available_);
  if (stop_below <= 0.0) return most;
  SPECLAB_EXPECT(!process_.is_logged(),
                 "process " + process_.name() + " has no confidences to stop a draft by");
  if (fixed_) return first_below(process_.fixed_levels(), stop_below, most);
  for (int level = 0; level < most; ++level)
    if (process_.level(level).confidence < stop_below) return level + 1;
  return most;
}

int RoundSource::accepted_beyond(int run, int depth) {
  const std::uint64_t bits = bits_[static_cast<std::size_t>(round_ - block_begin_)];
  while (run < depth && bits < threshold(run)) ++run;
  return run;
}

int RoundSource::accepted_of(int depth) {
  if (fixed_) return accepted_fixed(depth);
  const double uniform =
      static_cast<double>(bits_[static_cast<std::size_t>(round_ - block_begin_)]) * 0x1.0p-53;
  double survival = 1.0;
  for (int level = 0; level < depth; ++level) {
    survival *= process_.level(level).acceptance;
    if (!(uniform < survival)) return level;
  }
  return depth;
}

bool RoundSource::draw_any(int levels, double stop_below, RoundRecord& record) {
  SPECLAB_EXPECT(levels >= 0 && levels <= kMaxLevels,
                 "levels = " + std::to_string(levels) + "; allowed: 0 to 4095");
  if (tree_ != nullptr) {
    SPECLAB_EXPECT(stop_below <= 0.0, "a draft that stops by confidence is a chain");
    draw_tree(std::min({levels, available_, tree_->depth()}), record);
    return false;
  }
  const int depth = drafted_levels(levels, stop_below);
  set_chain(record, depth, accepted_of(depth));
  return record.accepted == depth && depth == available_ && depth < levels;
}

void RoundSource::draw_tree(int levels, RoundRecord& record) {
  const auto acceptance = [this](int level) { return process_.level(level).acceptance; };
  const auto coin = [this](int level) {
    return stream_.uniform(
        {sequence_, round_, Purpose::accept, 1 + static_cast<std::uint32_t>(level)});
  };
  const TreePath path = tree_->walk(levels, acceptance, coin);
  record.depth = levels;
  record.rows = tree_->rows(levels);
  record.drafted = record.rows - 1;
  record.accepted = path.accepted;
  record.tested = path.tested;
  record.next_kind = path.ended_at_leaf ? NextKind::bonus : NextKind::recovered;
}

}  // namespace speclab::sim
