#include "experiments/drivers/generate/bridge_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace speclab::experiments {
namespace {

/// In the target's tokens.
std::int64_t num_drafted(const GenerationRecord& record) {
  std::int64_t drafted = 0;
  for (const RoundRecord& round : record.rounds) drafted += round.drafted;
  return drafted;
}

}  // namespace

nlohmann::ordered_json bridge_json(const GenerationRecord& record) {
  if (!record.bridge) return nullptr;
  const BridgeUse& use = *record.bridge;
  return {{"kind", use.bridge},
          {"draft_tokens", use.draft_tokens},
          {"target_tokens", num_drafted(record)},
          {"spelling_seconds", static_cast<double>(use.spelling_ns) * 1e-9},
          {"shared_vocabulary", use.overlap.shared},
          {"draft_vocabulary", use.overlap.draft},
          {"target_vocabulary", use.overlap.target},
          {"unshared_outputs", use.unshared_outputs}};
}

std::string bridge_note(const GenerationRecord& record) {
  if (!record.bridge) return "";
  const BridgeUse& use = *record.bridge;
  return fmt::format(
      "drafts crossed to the target's tokenizer by {}: {} tokens of the drafter became {} of the "
      "target; spelling took {:.1f} % of decoding; {} of the drafter's {} tokens are among the "
      "target's {}",
      use.bridge, use.draft_tokens, num_drafted(record),
      100.0 * static_cast<double>(use.spelling_ns) / static_cast<double>(record.decode_ns),
      use.overlap.shared, use.overlap.draft, use.overlap.target);
}

}  // namespace speclab::experiments
