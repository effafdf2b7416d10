#include <algorithm>
#include <cmath>

#include "engines/drafters/drafters.h"
#include "sim/core/chance.h"
#include "sim/core/law_sampling.h"
#include "sim/core/round_key.h"

namespace speclab::engines {
namespace {

class BigramDrafter final : public Drafter {
 public:
  BigramDrafter(std::shared_ptr<const BigramTable> table, const DecoderOptions& options)
      : table_(std::move(table)), temperature_(options.sampling.temperature), chance_(chance_of(options)) {}

  std::string name() const override { return "bigram"; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

  void propose(std::span<const Sequence* const> sequences, std::span<const std::int32_t> max_lengths, std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) propose_one(*sequences[i], max_lengths[i], drafts[i]);
  }

 private:
  /// A chain; it ends early at a token whose successor was never seen.
  void propose_one(const Sequence& sequence, std::int32_t max_length, Draft& draft) {
    const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()), sequence.round};
    draft.reset(sequence.tokens.back(), temperature_ == 0 ? DrawKind::arg_max : DrawKind::sampled);
    for (TokenTree::Node node = 0; node < max_length; ++node) {
      const auto successors = table_->successors(draft.tree[node].token);
      if (successors.empty()) return;
      Law& law = draft.law_for(node);
      fill_law(successors, law);
      draft.add(node, sample(law, draft_key(key, node, node + 1), *chance_, scratch_));
    }
  }

  /// Counts to the power 1 / temperature, normalised.
  void fill_law(std::span<const BigramTable::Successor> successors, Law& law) {
    const auto vocab_size = static_cast<std::size_t>(table_->vocab_size());
    if (temperature_ == 0) return law.assign_point_mass(vocab_size, successors.front().token);
    entries_.clear();
    double total = 0;
    for (const auto& successor : successors) {
      const double weight = std::pow(static_cast<double>(successor.count) / successors.front().count, 1.0 / temperature_);
      total += weight;
      entries_.push_back({successor.token, static_cast<float>(weight)});
    }
    for (LawEntry<float>& entry : entries_) entry.probability = static_cast<float>(entry.probability / total);
    std::erase_if(entries_, [](const LawEntry<float>& entry) { return entry.probability <= 0; });
    std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
    law.assign_sparse(vocab_size, entries_);
  }

  std::shared_ptr<const BigramTable> table_;
  double temperature_;
  std::shared_ptr<Chance> chance_;
  std::vector<LawEntry<float>> entries_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Drafter> make_bigram_drafter(std::shared_ptr<const BigramTable> table, const DecoderOptions& options) {
  return std::make_unique<BigramDrafter>(std::move(table), options);
}

}  // namespace speclab::engines
