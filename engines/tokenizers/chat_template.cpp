#include "engines/tokenizers/chat_template.h"

namespace speclab::engines {
namespace {

// The parts of the template as it is written in the models' files. @source tokenizer_config.json of
// SmolLM2 and of ChatML models
constexpr std::string_view kLoop = "{% for message in messages %}";
constexpr std::string_view kSystemBegin =
    "{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n";
constexpr std::string_view kSystemEnd = "<|im_end|>\n' }}{% endif %}";
constexpr std::string_view kRest =
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% "
    "endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Some files write the line feed of a Jinja string as backslash and n.
std::string with_plain_line_feeds(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool escape = source.substr(i, 2) == "\\n";
    text.push_back(escape ? '\n' : source[i]);
    i += escape ? 1 : 0;
  }
  return text;
}

std::string message_text(const ChatMessage& message) {
  return "<|im_start|>" + message.role + "\n" + message.content + "<|im_end|>\n";
}

}  // namespace

std::optional<ChatTemplate> ChatTemplate::recognise(std::string_view source) {
  const std::string plain = with_plain_line_feeds(source);
  std::string_view text = plain;
  ChatTemplate result;
  if (!remove_prefix(text, kLoop)) return std::nullopt;
  if (remove_prefix(text, kSystemBegin)) {
    const std::size_t end = text.find(kSystemEnd);
    if (end == std::string_view::npos ||
        text.substr(0, end).find_first_of("'\\") != std::string_view::npos)
      return std::nullopt;
    result.default_system_ = std::string(text.substr(0, end));
    text.remove_prefix(end + kSystemEnd.size());
  }
  if (text != kRest) return std::nullopt;
  return result;
}

std::string ChatTemplate::apply(std::span<const ChatMessage> messages) const {
  std::string text;
  if (default_system_ && messages[0].role != "system")
    text += message_text({"system", *default_system_});
  for (const ChatMessage& message : messages) text += message_text(message);
  return text + "<|im_start|>assistant\n";
}

}  // namespace speclab::engines
