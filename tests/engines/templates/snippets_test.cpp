// Templates of one feature each against jinja2 (tests/golden/templates/make_template_fixtures.py).

#include <gtest/gtest.h>

#include "tests/engines/templates/template_cases.h"

namespace speclab::testing {
namespace {

/// Jinja2 calls an unknown filter a fault of syntax, and this program one of rendering.
bool agrees(const Json& expected, const Json& found) {
  if (expected.contains("text")) return found == Json{{"text", expected["text"]}};
  if (!found.contains("error")) return false;
  const bool is_raised = expected["error"] == "raised";
  if (is_raised) return found["error"] == "raised" && found["message"] == expected["message"];
  return found["error"] != "raised";
}

/// Defect: an operator, filter, test, method or rule of blanks differs from jinja2's.
TEST(TemplateSnippets, RenderAsJinja2DoesOrFailWhereItFails) {
  const std::vector<Json> lines = json_lines(golden_template_path("snippets.jsonl"));
  ASSERT_GE(lines.size(), 400U);
  const Json& variables = lines.front()["variables"];
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json found = outcome_of(lines[i]["template"], variables);
    EXPECT_TRUE(agrees(lines[i], found))
        << "line " << i + 1 << ": " << lines[i].dump() << "\nfound " << found.dump();
  }
}

}  // namespace
}  // namespace speclab::testing
