#pragma once
#include <array>
#include <optional>
#include <string>

#include "experiments/drivers/generate/text_stream.h"

namespace speclab::experiments {

inline constexpr std::array<const char*, 4> kStreamForms{"words", "characters", "json", "off"};
/// Values of --skip-special-tokens.
inline constexpr std::array<const char*, 3> kSkippedTokens{"ends", "true", "false"};

/// How the text of `speclab generate` comes out.
struct StreamOptions {
  std::optional<std::string> form{};  ///< one of kStreamForms; words if not given
  bool skip_prompt = true;
  std::string skip_special_tokens = "ends";  ///< one of kSkippedTokens

  bool has_lines() const { return form == "json"; }
  /// The option that asks for text while it comes, for messages; empty if none does.
  std::string asked() const;
  LeftOutTokens left_out() const;
  /// @throws ConfigError for a name that is not known
  void check_names() const;
};

}  // namespace speclab::experiments
