#include "engines/drafters/bridge_meter.h"

namespace speclab::engines {
namespace {

class MeteredDrafter final : public Drafter {
 public:
  MeteredDrafter(std::unique_ptr<Drafter> drafter, std::shared_ptr<BridgeMeter> meter)
      : drafter_(std::move(drafter)), meter_(std::move(meter)) {}

  std::string name() const override { return drafter_->name(); }
  void begin(std::span<const Sequence> sequences) override {
    meter_->begin(sequences.size());
    drafter_->begin(sequences);
  }
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    drafter_->propose(sequences, limits, drafts);
    for (std::size_t i = 0; i < sequences.size(); ++i)
      meter_->of(*sequences[i]).draft_tokens += drafts[i].tree.drafted();
  }
  std::int64_t bytes_read() const override { return drafter_->bytes_read(); }
  std::optional<BridgeUse> bridge_use(const Sequence& sequence) const override {
    return meter_->use(sequence);
  }
  void observe(const Sequence& sequence, const Draft& draft, const Verdict& verdict) override {
    drafter_->observe(sequence, draft, verdict);
  }

 private:
  std::unique_ptr<Drafter> drafter_;
  std::shared_ptr<BridgeMeter> meter_;
};

}  // namespace

std::unique_ptr<Drafter> metered_drafter(std::unique_ptr<Drafter> drafter,
                                         std::shared_ptr<BridgeMeter> meter) {
  return std::make_unique<MeteredDrafter>(std::move(drafter), std::move(meter));
}

}  // namespace speclab::engines
