#include "engines/decoding/host_round_decoder.h"

#include <algorithm>

#include "engines/models/clock.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::engines {
HostRoundDecoder::HostRoundDecoder(LanguageModel& target,
                                   std::shared_ptr<const Tokenizer> tokenizer,
                                   const DecoderOptions& options, std::unique_ptr<Drafter> drafter,
                                   std::unique_ptr<Verifier> verifier)
    : DecoderBase(target, std::move(tokenizer), options),
      drafter_(std::move(drafter)),
      verifier_(std::move(verifier)),
      tree_rows_(TreeGrowth::parse(options.drafter.tree, 0).max_nodes() + 1) {}

void HostRoundDecoder::begin(const std::vector<Request>& requests,
                             const SpeculationLengthPolicy& policy) {
  if (policy.stop_below() > 0.0 && options().drafter.tree != "chain")
    throw ConfigError("policy = \"" + policy.name() + "\" with tree = \"" +
                      escaped(options().drafter.tree) +
                      "\": confidence ends chains; give tree = \"chain\" or another policy");
  begin_sequences(requests, tree_rows_, drafter_->reads_hidden() ? &prompt_states_ : nullptr);
  policies_.clear();
  for (std::size_t i = 0; i < requests.size(); ++i) policies_.push_back(policy.fresh());
  drafts_.resize(requests.size());
  verdicts_.resize(requests.size());
  drafter_->begin(sequences());
  for (std::size_t i = 0; i < prompt_states_.size(); ++i)
    drafter_->read_hidden(sequences()[i], prompt_states_[i]);
}

bool HostRoundDecoder::round() {
  LapClock clock;
  select_active();
  if (active_.empty()) return false;
  const auto share = static_cast<std::int64_t>(active_.size());
  const ReadBytes read_before = bytes_read();
  RoundRecord record;
  record.other_ns = clock.lap_ns() / share;
  propose();
  record.draft_ns = clock.lap_ns() / share;
  rows_.clear();
  first_rows_.clear();
  for (std::size_t a = 0; a < active_.size(); ++a) add_rows(*active_[a], drafts_[a].tree);
  record.other_ns += clock.lap_ns() / share;
  const ForwardResult result = counted_target().forward(rows_, cache());
  record.target_ns = clock.lap_ns() / share;
  round_read_ = {(bytes_read().target - read_before.target) / share,
                 (bytes_read().draft - read_before.draft) / share};
  show_drafts(result);
  clock.lap_ns();
  for (std::size_t a = 0; a < active_.size(); ++a) verify(*active_[a], a, result);
  record.verify_ns = clock.lap_ns() / share;
  for (std::size_t a = 0; a < active_.size(); ++a) apply(*active_[a], a, result, record);
  return !all_finished();
}

void HostRoundDecoder::select_active() {
  active_.clear();
  limits_.clear();
  for (Sequence& sequence : sequences()) {
    if (sequence.finished) continue;
    active_.push_back(&sequence);
    SpeculationLengthPolicy& policy = *policies_[static_cast<std::size_t>(sequence.index)];
    std::int32_t wanted = policy.next_length();
    if (options().replay)
      wanted = std::min(wanted, options().replay->at(sequence.id, sequence.round).depth);
    limits_.push_back({std::clamp(wanted, 0, remaining(sequence) - 1), policy.stop_below()});
  }
}

void HostRoundDecoder::propose() {
  proposing_.assign(active_.begin(), active_.end());
  drafter_->propose(proposing_, limits_, std::span(drafts_).first(active_.size()));
}

/// Rows of a tree: the root is the pending token, its position the sequence's last; a node's
/// position is its depth further.
void HostRoundDecoder::add_rows(const Sequence& sequence, const TokenTree& tree) {
  const auto first = static_cast<std::int32_t>(rows_.size());
  const auto root_position = static_cast<std::int32_t>(sequence.tokens.size()) - 1;
  first_rows_.push_back(first);
  for (std::int32_t row = 0; row < tree.num_rows(); ++row) {
    const TokenTree::Entry& node = tree[tree.node_of_row(row)];
    const std::int32_t parent = row == 0 ? ForwardRow::kCommitted : first + tree[node.parent].row;
    rows_.push_back({node.token, root_position + node.depth, sequence.cache_slot, parent, true,
                     drafter_->reads_hidden()});
  }
}

const Law& HostRoundDecoder::target_law(const Sequence& sequence, std::size_t active,
                                        const ForwardResult& result, TokenTree::Node node) {
  const TokenTree& tree = drafts_[active].tree;
  collect_history(options().sampling, sequence.tokens, tree, node, history_);
  pipeline().law(result.row(static_cast<std::size_t>(first_rows_[active] + tree[node].row)),
                 history_, target_law_);
  return target_law_;
}

void HostRoundDecoder::verify(const Sequence& sequence, std::size_t active,
                              const ForwardResult& result) {
  const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()),
                     sequence.round};
  const auto law = [&](TokenTree::Node node) -> const Law& {
    return target_law(sequence, active, result, node);
  };
  verifier_->verify(drafts_[active], std::cref(law), key, verdicts_[active]);
}

void HostRoundDecoder::show_drafts(const ForwardResult& result) {
  if (!options().on_draft) return;
  for (std::size_t a = 0; a < active_.size(); ++a)
    options().on_draft(drafts_[a], [&, a](TokenTree::Node node) -> const Law& {
      return target_law(*active_[a], a, result, node);
    });
}

/// Gives the drafter the target's hidden states along the path that was committed; every row has
/// one.
void HostRoundDecoder::show_hidden(const Sequence& sequence, const ForwardResult& result) {
  if (!drafter_->reads_hidden()) return;
  path_hidden_.clear();
  for (const std::int32_t row : path_) {
    const std::span<const float> hidden = result.hidden_row(static_cast<std::size_t>(row));
    path_hidden_.insert(path_hidden_.end(), hidden.begin(), hidden.end());
  }
  drafter_->read_hidden(sequence, path_hidden_);
}

void HostRoundDecoder::apply(Sequence& sequence, std::size_t active, const ForwardResult& result,
                             RoundRecord record) {
  LapClock clock;
  const Verdict& verdict = verdicts_[active];
  const TokenTree& tree = drafts_[active].tree;
  path_.assign(1, first_rows_[active]);
  emitted_.clear();
  fates_.assign(verdict.accepted.size(), TokenFate::accepted);
  for (const TokenTree::Node node : verdict.accepted) {
    path_.push_back(first_rows_[active] + tree[node].row);
    emitted_.push_back(tree[node].token);
  }
  emitted_.push_back(verdict.next);
  fates_.push_back(verdict.next_kind == NextKind::bonus ? TokenFate::bonus : TokenFate::recovered);
  cache().commit(sequence.cache_slot, path_);
  record.verify_ns += clock.lap_ns();
  record.position = static_cast<std::int32_t>(sequence.tokens.size());
  record.round = static_cast<std::int32_t>(sequence.round++);
  record.emitted = emit(sequence, emitted_, fates_);
  const auto kept = std::span(emitted_).first(static_cast<std::size_t>(record.emitted));
  note_log_probabilities(sequence, kept, result, path_);
  record.drafted = tree.drafted();
  record.rows = tree.num_rows();
  record.depth = 0;
  for (TokenTree::Node node = 0; node < tree.size(); ++node)
    record.depth = std::max(record.depth, tree[node].depth);
  record.accepted = static_cast<std::int32_t>(verdict.accepted.size());
  record.tested = verdict.tested;
  record.next_kind = verdict.next_kind;
  policies_[static_cast<std::size_t>(sequence.index)]->observe(record);
  show_hidden(sequence, result);
  drafter_->observe(sequence, drafts_[active], verdict);
  record.other_ns += clock.lap_ns();
  record_round(sequence, record, round_read_);
  record_bridge(sequence, drafter_->bridge_use(sequence));
}

}  // namespace speclab::engines
