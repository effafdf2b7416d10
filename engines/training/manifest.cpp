#include "engines/training/manifest.h"

#include <nlohmann/json.hpp>

namespace speclab::engines {

nlohmann::ordered_json own_text_json(const OwnTextOptions& own_text, std::int32_t held_out) {
  return {{"prompts", own_text.prompts.size()}, {"held_out", held_out}, {"temperatures", own_text.temperatures},
          {"max_new_tokens", own_text.max_new_tokens}, {"seed", own_text.seed}};
}

}  // namespace speclab::engines
