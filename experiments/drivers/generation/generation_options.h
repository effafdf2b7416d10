#pragma once
#include <map>
#include <optional>
#include <string>

namespace speclab::experiments {

/// GenerationConfig on the command line of `speclab generate`.
struct GenerationOptions {
  std::optional<std::string> config_file{};    ///< --generation-config
  std::optional<std::string> save_file{};      ///< --save-generation-config
  bool explain = false;                        ///< no text, but the mode and the values
  bool has_key_option = false;                 ///< an option is given that GenerationConfig brought
  std::map<std::string, std::string> given{};  ///< values as texts, by key
  bool is_drafter_given = false;               ///< --drafter
  bool is_policy_given = false;                ///< --policy or --speculation-length
};

}  // namespace speclab::experiments
