#include "engines/drafters/draft_growth.h"
#include "sim/core/tree_growth.h"

namespace speclab::engines {
namespace {

class GrowingDrafter final : public Drafter {
 public:
  GrowingDrafter(std::unique_ptr<NextTokens> next_tokens, const std::string& name,
                 const DecoderOptions& options)
      : next_tokens_(std::move(next_tokens)),
        growth_(TreeGrowth::parse(options.drafter.tree, 1).is_grown() ? make_likely_growth(options)
                                                                      : make_shape_growth(options)),
        name_(options.drafter.tree == "chain" ? name : name + " " + options.drafter.tree),
        max_new_tokens_(options.stop.max_new_tokens) {}

  std::string name() const override { return name_; }
  bool reads_hidden() const override { return next_tokens_->reads_hidden(); }
  void begin(std::span<const Sequence> sequences) override {
    next_tokens_->begin(sequences, max_new_tokens_ + growth_->most_read() + 1);
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override {
    next_tokens_->read_hidden(sequence, hidden);
  }
  std::int64_t bytes_read() const override { return next_tokens_->bytes_read(); }
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      growth_->grow(*next_tokens_, *sequences[i], limits[i], drafts[i]);
  }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

 private:
  std::unique_ptr<NextTokens> next_tokens_;
  std::unique_ptr<DraftGrowth> growth_;
  std::string name_;
  std::int32_t max_new_tokens_;
};

}  // namespace

std::unique_ptr<Drafter> make_growing_drafter(std::unique_ptr<NextTokens> next_tokens,
                                              const std::string& name,
                                              const DecoderOptions& options) {
  return std::make_unique<GrowingDrafter>(std::move(next_tokens), name, options);
}

}  // namespace speclab::engines
