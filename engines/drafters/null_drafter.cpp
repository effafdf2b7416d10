#include "engines/drafters/drafters.h"

namespace speclab::engines {
namespace {

class NullDrafter final : public Drafter {
 public:
  std::string name() const override { return "none"; }
  void begin(std::span<const Sequence>) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit>,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      drafts[i].reset(sequences[i]->tokens.back(), DrawKind::sampled);
  }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
};

}  // namespace

std::unique_ptr<Drafter> make_null_drafter() { return std::make_unique<NullDrafter>(); }

}  // namespace speclab::engines
