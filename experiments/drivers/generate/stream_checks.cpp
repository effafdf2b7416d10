#include "experiments/drivers/generate/stream_checks.h"

#include <fmt/format.h>

#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

[[noreturn]] void refuse_pair(const std::string& asked, const std::string& other, const char* why) {
  throw ConfigError(fmt::format("{} with {}: {}; allowed: one of them", asked, other, why));
}

/// Why the mode has no text before its end.
std::string reason_of(const GenerationPlan& plan) {
  if (plan.mode.keeps_beams())
    return plan.mode.name + ": the best beam is known only when the search ends";
  if (plan.mode.searches()) return plan.mode.name + ": the search gives its text when it ends";
  return fmt::format("num_return_sequences = {}: texts are drawn side by side",
                     plan.num_return_sequences);
}

}  // namespace

void check_stream(const GenerateOptions& options) {
  const StreamOptions& stream = options.stream;
  stream.check_names();
  const std::string asked = stream.asked();
  if (asked.empty()) return;
  if (options.common.json) refuse_pair(asked, "--json", "--json prints one object at the end");
  if (options.draw_trees)
    refuse_pair(asked, "--draw-trees", "drawn trees leave the text to the end");
  if (!stream.has_lines()) return;
  if (options.side_by_side)
    refuse_pair(asked, "--side-by-side", "lines of two texts would follow each other");
  if (!stream.skip_prompt)
    refuse_pair(asked, "--skip-prompt false", "each line is a new token; the last has prompt_ids");
}

void check_stream_of_plan(const StreamOptions& stream, const GenerationPlan& plan) {
  if (stream.asked().empty() || !plan.needs_search()) return;
  throw ConfigError(
      fmt::format("{} with {}; allowed: the text at the end (--stream off, --skip-prompt true), or "
                  "one text of greedy_search, sample or assisted_generation",
                  stream.asked(), reason_of(plan)));
}

void check_stream_of_model(const StreamOptions& stream, const engines::LoadedModel& loaded) {
  if (stream.asked().empty() || stream.has_lines()) return;
  tokenizer_of(loaded, stream.asked() +
                           " with a model that has no tokenizer, and so no text; allowed: "
                           "--stream json or off, with --skip-prompt true");
}

}  // namespace speclab::experiments
