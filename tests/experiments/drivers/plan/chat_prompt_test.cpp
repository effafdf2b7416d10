#include "experiments/drivers/plan/chat_prompt.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

enum class Template : std::uint8_t { none, angle_brackets, not_understood };

/// A byte is a token.
class ByteTokenizer final : public engines::Tokenizer {
 public:
  explicit ByteTokenizer(Template chat_template) : template_(chat_template) {}
  std::int32_t vocab_size() const override { return 256; }
  std::vector<Token> encode(std::string_view text, engines::SpecialText) const override {
    return {text.begin(), text.end()};
  }
  std::string decode(std::span<const Token> ids) const override { return {ids.begin(), ids.end()}; }
  std::unique_ptr<engines::StreamingDecoder> streaming_decoder() const override { return nullptr; }
  bool is_end_of_sequence(Token) const override { return false; }
  bool has_chat_template() const override { return template_ != Template::none; }
  std::string apply_chat_template(std::span<const engines::ChatMessage> messages) const override {
    if (template_ != Template::angle_brackets) throw ConfigError("not understood");
    return "<" + messages[0].role + ": " + messages[0].content + ">";
  }

 private:
  Template template_;
};

std::string prompt(Template chat_template, const std::string& key) {
  const ByteTokenizer tokenizer(chat_template);
  return tokenizer.decode(chat_prompt_ids(tokenizer, "Hi", key));
}

TEST(ChatPrompt, UsesTheTemplateWhereThereIsOneUnlessItIsOff) {
  EXPECT_EQ(prompt(Template::none, "auto"), "Hi");
  EXPECT_EQ(prompt(Template::angle_brackets, "auto"), "<user: Hi>");
  EXPECT_EQ(prompt(Template::angle_brackets, "off"), "Hi");
  EXPECT_EQ(prompt(Template::not_understood, "off"), "Hi");
}

TEST(ChatPrompt, SaysHowToDoWithoutATemplateThatIsNotUnderstood) {
  const auto message_of = [](auto... way_out) -> std::string {
    try {
      chat_prompt_ids(ByteTokenizer(Template::not_understood), "Hi", "auto", way_out...);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message_of(),
            "not understood; set target.chat_template = \"off\" to give prompts as they are");
  EXPECT_EQ(message_of("give --no-chat-template"), "not understood; give --no-chat-template");
}

}  // namespace
}  // namespace speclab::experiments
