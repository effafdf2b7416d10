#include "experiments/drivers/prompts/chat_prompt.h"

#include <gtest/gtest.h>

#include "engines/interface/chat_request.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

enum class Template : std::uint8_t { none, angle_brackets, not_understood, broken };

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
  std::string apply_chat_template(const engines::ChatRequest& request) const override {
    if (template_ == Template::broken) throw ModelFileError("broken");
    if (template_ != Template::angle_brackets) throw ConfigError("not understood");
    const auto& message = request.messages[0];
    if (message["content"] == "Use them.") return request.tools.dump();
    return "<" + message["role"].get<std::string>() + ": " + message["content"].get<std::string>() +
           ">";
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

/// Defect: tools that the template does not know were dropped without a word.
TEST(ChatPrompt, NoticesToolsThatTheTemplateLeavesOut) {
  const ByteTokenizer tokenizer(Template::angle_brackets);
  auto request = engines::ChatRequest::of_user("Hi");
  EXPECT_FALSE(leaves_out_tools(tokenizer, request));
  request.tools = {{{"name", "clock"}}};
  EXPECT_TRUE(leaves_out_tools(tokenizer, request));
  request.messages[0]["content"] = "Use them.";
  EXPECT_FALSE(leaves_out_tools(tokenizer, request));
  EXPECT_FALSE(leaves_out_tools(ByteTokenizer(Template::broken), request));
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

/// Defect: a broken template ends as a bad setting, or without a way out.
TEST(ChatPrompt, KeepsTheKindOfErrorOfABrokenTemplate) {
  try {
    chat_prompt_ids(ByteTokenizer(Template::broken), "Hi", "auto", "give --no-chat-template");
    FAIL() << "no error";
  } catch (const ModelFileError& error) {
    EXPECT_STREQ(error.what(), "broken; give --no-chat-template");
  }
}

/// Defect: prompts go in raw without a word, or a word is said where no template is wanted.
TEST(ChatPrompt, LacksATemplateOnlyWhereOneIsWanted) {
  EXPECT_TRUE(lacks_template(ByteTokenizer(Template::none), "auto"));
  EXPECT_FALSE(lacks_template(ByteTokenizer(Template::none), "off"));
  EXPECT_FALSE(lacks_template(ByteTokenizer(Template::angle_brackets), "auto"));
}

}  // namespace
}  // namespace speclab::experiments
