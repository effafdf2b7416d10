#include "engines/templates/chat_template.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

const std::vector<SpecialTokenText> kSpecial = {{"bos_token", "<s>", "a.json: bos_token"},
                                                {"eos_token", "</s>", "a.json: eos_token"}};
const std::vector<TemplateSource> kNamed = {
    {"default", "plain{{ tools }}", "a.json: chat_template"},
    {"tool_use", "tools{{ tools|length }}", "a.json: chat_template"},
    {"rag", "rag", "a.json: chat_template"}};

std::vector<TemplateSource> only(const std::string& source) {
  return {{"default", source, "chat_template.jinja"}};
}

template <typename ErrorKind>
std::string refusal(const std::vector<TemplateSource>& templates, const ChatRequest& request) {
  try {
    return "rendered: " + render_chat(templates, kSpecial, request);
  } catch (const ErrorKind& error) {
    return error.what();
  }
}

/// Defect: a template sees other names than those that transformers gives it.
TEST(ChatTemplate, GivesTheTemplateWhatTransformersGives) {
  EXPECT_EQ(render_chat(only("{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}"
                             "{{ eos_token }}{% endfor %}{{ tools }}{{ documents }}"
                             "{% if add_generation_prompt %}>{% endif %}{{ other is defined }}"),
                        kSpecial, ChatRequest::of_user("Hi")),
            "<s>[user] Hi</s>NoneNone>False");
}

/// Defect: given variables do not reach the template, or take the place of the messages.
TEST(ChatTemplate, LetsVariablesReplaceAllButTheMessages) {
  ChatRequest request = ChatRequest::of_user("Hi");
  request.variables = {{"bos_token", "B"}, {"documents", {1, 2}}, {"messages", "none"}, {"n", 3}};
  EXPECT_EQ(render_chat(only("{{ bos_token }}{{ documents }}{{ messages[0].content }}{{ n }}"),
                        kSpecial, request),
            "B[1, 2]Hi3");
}

/// Defect: a list of named templates is read as no template, or the wrong one is taken.
TEST(ChatTemplate, TakesToolUseWithToolsAndDefaultWithout) {
  ChatRequest request = ChatRequest::of_user("Hi");
  EXPECT_EQ(render_chat(kNamed, {}, request), "plainNone");
  request.tools = nlohmann::ordered_json::array({{{"name", "f"}}});
  EXPECT_EQ(render_chat(kNamed, {}, request), "tools1");
  EXPECT_EQ(render_chat(only("one{{ tools|length }}"), {}, request), "one1");
  EXPECT_EQ(refusal<ConfigError>({{"rag", "x", ""}, {"x\n", "x", ""}}, request),
            "the model's chat templates are named rag, x\\n; allowed: one named default");
}

/// Defect: of a long conversation it is not told which message the template refuses.
TEST(ChatTemplate, NamesTheMessageThatItFailsAt) {
  ChatRequest request = ChatRequest::of_user("Hi");
  for (const char* role : {"assistant", "tool", "user"})
    request.messages.push_back({{"role", role}, {"content", "x"}});
  const std::string source =
      "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}"
      "{% endif %}{% endfor %}";
  EXPECT_EQ(refusal<ConfigError>(only(source), request),
            "chat template in chat_template.jinja, line 1, message 3 of 4: no tools (the template "
            "refuses this conversation)");
}

/// Defect: a refusal of the template, a broken template and a failure look alike.
TEST(ChatTemplate, SaysWhoseFaultAnErrorIs) {
  const ChatRequest request = ChatRequest::of_user("Hi");
  EXPECT_EQ(refusal<ConfigError>(only("\n{{ raise_exception('Roles must alternate') }}"), request),
            "chat template in chat_template.jinja, line 2: Roles must alternate (the template "
            "refuses this conversation)");
  EXPECT_EQ(refusal<ModelFileError>(only("{% if %}"), request),
            "chat template in chat_template.jinja, line 1: '%}'; allowed here: an expression; use "
            "a template that jinja2 takes");
  EXPECT_EQ(refusal<ConfigError>(only("{{ messages[0].content + 1 }}"), request),
            "chat template in chat_template.jinja, line 1: can only concatenate str (not \"int\") "
            "to str");
  EXPECT_EQ(refusal<ConfigError>(only("x"), ChatRequest()),
            "a conversation of no messages; give at least one");
  EXPECT_EQ(refusal<ConfigError>({}, request), "the model has no chat template");
}

}  // namespace
}  // namespace speclab::engines
