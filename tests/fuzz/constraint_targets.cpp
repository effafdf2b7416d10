#include "tests/fuzz/constraint_targets.h"

#include "engines/constraints/automaton.h"
#include "engines/constraints/expression.h"
#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"
#include "tests/fuzz/targets.h"

namespace speclab::fuzz {
namespace {

using namespace speclab::engines;

/// From the start, and from wherever a byte leads, an end can be reached.
void require_sound(const Automaton& automaton) {
  require(automaton.num_states() > 0, "a start");
  bool goes_on = automaton.accepts(automaton.start());
  for (int byte = 0; byte < 256; ++byte)
    goes_on |=
        automaton.next(automaton.start(), static_cast<unsigned char>(byte)) != Automaton::kNoState;
  require(goes_on, "a text");
}

}  // namespace

void read_constraint_regex(const std::string& bytes) try {
  require_sound(Automaton(read_regex(bytes, RegexUse::whole_text, "a text"), "a text"));
} catch (const ConfigError&) {
}

std::vector<std::string> regex_seeds() {
  return {"^(?:a|[b-d\\d]{1,3})*\\.\\u00e9$", "[^\\w\\s]+|\\x41?x{2,}", "((a|b)(c|d){0,2})+"};
}

void read_constraint_schema(const std::string& bytes) try {
  require_sound(Automaton(read_json_schema(bytes, "a text"), "a text"));
} catch (const ConfigError&) {
}

std::vector<std::string> schema_seeds() {
  return {R"({"type":"object","properties":{"a":{"type":"integer","minimum":-3,"maximum":12},)"
          R"("b":{"type":"array","items":{"enum":["x",1,null]},"maxItems":2}},"required":["a"]})",
          R"({"anyOf":[{"type":"string","pattern":"^a[^\"]$"},{"type":["null","boolean"]},)"
          R"({"type":"number","exclusiveMinimum":0.25}]})",
          R"({"$defs":{"s":{"type":"string","maxLength":3}},"$ref":"#/$defs/s"})"};
}

}  // namespace speclab::fuzz
