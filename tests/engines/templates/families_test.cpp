// Templates of real model families against jinja2
// (tests/golden/templates/make_template_fixtures.py).

#include <gtest/gtest.h>

#include <sstream>

#include "tests/engines/templates/template_cases.h"

namespace speclab::testing {
namespace {

Json read_json(const std::string& name) {
  std::ifstream file(golden_template_path(name));
  return Json::parse(file);
}

std::string read_source(const std::string& family) {
  std::ifstream file(golden_template_path("families/" + family), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// As the recipe's variables_of.
Json variables_of(const Json& talk, const Json& conversations) {
  Json variables = {{"tools", nullptr}, {"documents", nullptr}};
  variables.update(conversations["special"]);
  variables.update(talk);
  if (talk.contains("tools"))
    variables["tools"] = conversations["tools"][talk["tools"].get<std::string>()];
  return variables;
}

/// Defect: the prompt of a family differs from what transformers gives its model.
TEST(TemplateFamilies, RenderAsJinja2Does) {
  const Json conversations = read_json("conversations.json");
  const std::vector<Json> lines = json_lines(golden_template_path("families.jsonl"));
  ASSERT_GE(lines.size(), 20U * 9);
  std::size_t num_texts = 0;
  for (const Json& line : lines) {
    const std::string family = line["family"];
    const Json& talk = conversations["conversations"][line["conversation"].get<std::string>()];
    const Json found = outcome_of(read_source(family), variables_of(talk, conversations));
    SCOPED_TRACE(family + ", conversation " + line["conversation"].get<std::string>());
    if (line.contains("text")) {
      ++num_texts;
      EXPECT_EQ(found, (Json{{"text", line["text"]}}));
    } else {
      EXPECT_EQ(found.value("error", "none"), line["error"].get<std::string>()) << found.dump();
      EXPECT_EQ(line.value("message", found.value("message", "")), found.value("message", ""));
    }
  }
  EXPECT_GE(num_texts, 150U);
}

}  // namespace
}  // namespace speclab::testing
