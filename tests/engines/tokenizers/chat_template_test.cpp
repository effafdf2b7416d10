#include "engines/tokenizers/chat_template.h"

#include <gtest/gtest.h>

namespace speclab::engines {
namespace {

const std::string kSmollm2 =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
    "'<|im_start|>system\n"
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif "
    "%}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% "
    "endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const std::string kPlain =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] "
    "+ '<|im_end|>' + '\\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

std::string applied(const std::string& source, const std::vector<ChatMessage>& messages) {
  return ChatTemplate::recognise(source).value().apply(messages);
}

// Expected texts were made with transformers' apply_chat_template(..., add_generation_prompt=True).
TEST(ChatTemplate, PutsTheDefaultSystemMessageFirst) {
  EXPECT_EQ(applied(kSmollm2, {{"user", "Hi\nthere"}}),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
            "Face<|im_end|>\n"
            "<|im_start|>user\nHi\nthere<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, KeepsAGivenSystemMessage) {
  EXPECT_EQ(
      applied(kSmollm2,
              {{"system", "Be brief."}, {"user", "Hi"}, {"assistant", "Yes?"}, {"user", ""}}),
      "<|im_start|>system\nBe "
      "brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes?<|im_end|>\n"
      "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, HasNoSystemMessageWhereTheTemplateHasNone) {
  EXPECT_EQ(ChatTemplate::recognise(kPlain)->default_system(), std::nullopt);
  EXPECT_EQ(applied(kPlain, {{"user", "Hi"}}),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, RecognisesNothingElse) {
  EXPECT_FALSE(ChatTemplate::recognise(""));
  EXPECT_FALSE(ChatTemplate::recognise(
      "{{ bos_token }}{% for message in messages %}[INST]{{ message['content'] }}{% endfor %}"));
  EXPECT_FALSE(ChatTemplate::recognise(kSmollm2 + " "));
  std::string changed = kSmollm2;
  changed.replace(changed.find("message['content']"), 18, "message['content'] | trim");
  EXPECT_FALSE(ChatTemplate::recognise(changed));
  std::string escaped = kSmollm2;
  escaped.replace(escaped.find("a helpful"), 1, "\\x41");
  EXPECT_FALSE(ChatTemplate::recognise(escaped))
      << "an escape in the system message is not guessed at";
}

}  // namespace
}  // namespace speclab::engines
