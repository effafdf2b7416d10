#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// A chat template of the ChatML family: every message between <|im_start|> and <|im_end|>, with a
/// default system message or none.
class ChatTemplate {
 public:
  /// @param source  the Jinja text; it is recognised, never run
  /// @return nothing if the template is not of this family
  static std::optional<ChatTemplate> recognise(std::string_view source);

  /// The prompt, opened for the assistant's answer. @param messages  at least one
  std::string apply(std::span<const ChatMessage> messages) const;
  /// Put first where a conversation does not begin with a system message.
  const std::optional<std::string>& default_system() const { return default_system_; }

 private:
  std::optional<std::string> default_system_;
};

}  // namespace speclab::engines
