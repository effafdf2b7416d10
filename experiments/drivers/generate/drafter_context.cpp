#include "experiments/drivers/generate/drafter_context.h"

#include <fmt/format.h>

#include "engines/interface/names.h"

namespace speclab::experiments {

std::string drafter_context_note(engines::Engines& engines, const engines::DrafterOptions& drafter,
                                 std::size_t num_tokens) {
  for (const engines::DrafterOptions& part : drafter.parts)
    if (std::string note = drafter_context_note(engines, part, num_tokens); !note.empty())
      return note;
  if (!drafter.traits().reads_transformer()) return "";
  const auto info = engines.drafter_info(drafter);
  if (!info || num_tokens <= static_cast<std::size_t>(info->context_length)) return "";
  return fmt::format(
      "the text has {} tokens, and the context of the model of {} ends at {}: behind that it "
      "drafts "
      "nothing",
      num_tokens, drafter.kind, info->context_length);
}

}  // namespace speclab::experiments
