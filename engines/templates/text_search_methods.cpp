// Methods of Python's str that look for a part and say where, how often or whether it is there.

#include <algorithm>
#include <map>

#include "engines/templates/attributes.h"
#include "engines/templates/characters.h"
#include "engines/templates/operators.h"
#include "engines/templates/python_values.h"
#include "engines/templates/text_classes.h"
#include "engines/templates/text_search.h"

namespace speclab::templates {
namespace {

/// Bytes begin to end of a text, for optional arguments that count characters.
std::string_view part_of(Rendering& rendering, const Text& text, const Parameters& given,
                         std::size_t first) {
  const auto size = static_cast<Integer>(text.num_characters);
  const auto bound = [&](std::size_t i, Integer missing) {
    const Integer at = given.integer(i, missing);
    return static_cast<std::size_t>(std::clamp<Integer>(at < 0 ? at + size : at, 0, size));
  };
  const std::size_t begin = bound(first, 0), end = bound(first + 1, size);
  if (begin > end) return {};
  if (begin == end) {  // a place, for which the empty text is found
    const std::size_t skipped = characters_between(rendering, text, 0, begin).size();
    return std::string_view(text.bytes).substr(skipped, 0);
  }
  return characters_between(rendering, text, begin, end);
}

/// The place of the text sought, in characters; nothing if it is not there.
std::optional<Integer> found_place(Rendering& rendering, const Text& text, const Parameters& given,
                                   bool from_right) {
  const std::string_view part = part_of(rendering, text, given, 1);
  if (part.data() == nullptr) return std::nullopt;
  const std::size_t at = from_right ? found_from_right(rendering, part, given.text(0))
                                    : found_from_left(rendering, part, given.text(0));
  if (at == part.npos) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(part.data() - text.bytes.data()) + at;
  rendering.step_bytes(bytes);
  return static_cast<Integer>(count_characters(std::string_view(text.bytes).substr(0, bytes)));
}

template <bool from_right>
Value find(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "find", arguments, {"sub", "start?", "end?"});
  return Value(found_place(rendering, self.text(), given, from_right).value_or(-1));
}

template <bool from_right>
Value index(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "index", arguments, {"sub", "start?", "end?"});
  const auto place = found_place(rendering, self.text(), given, from_right);
  if (!place) rendering.fail("index: substring not found");
  return Value(*place);
}

Value count(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, "count", arguments, {"sub", "start?", "end?"});
  const std::string_view part = part_of(rendering, self.text(), given, 1);
  const std::string& sought = given.text(0);
  if (sought.empty()) {
    rendering.step_bytes(part.size());
    return Value::of_count(count_characters(part) + 1);
  }
  std::size_t times = 0;
  for (std::size_t at = found_from_left(rendering, part, sought); at != part.npos;
       at = found_from_left(rendering, part, sought, at + sought.size()))
    ++times;
  return Value::of_count(times);
}

/// startswith and endswith take one text or a tuple of them.
template <bool at_end>
Value begins_or_ends(Rendering& rendering, const Value& self, const CallArguments& arguments) {
  const Parameters given(rendering, at_end ? "endswith" : "startswith", arguments,
                         {"prefix", "start?", "end?"});
  const std::string_view part = part_of(rendering, self.text(), given, 1);
  const auto matches = [&](const Value& affix) {
    if (!affix.is_text())
      rendering.fail(std::string(at_end ? "endswith" : "startswith") +
                     " first arg must be str or a tuple of str, not " + type_name(affix));
    rendering.step();
    rendering.step_bytes(affix.bytes().size() <= part.size() ? affix.bytes().size() : 0);
    return at_end ? part.ends_with(affix.bytes()) : part.starts_with(affix.bytes());
  };
  if (given[0].is(Kind::sequence) && given[0].sequence().kind == SequenceKind::tuple)
    return Value(std::ranges::any_of(given[0].sequence().items, matches));
  return Value(matches(given[0]));
}

}  // namespace

Method searching_method(const std::string& name) {
  static const std::map<std::string, Method, std::less<>> methods = {
      {"count", count},
      {"endswith", begins_or_ends<true>},
      {"find", find<false>},
      {"index", index<false>},
      {"rfind", find<true>},
      {"rindex", index<true>},
      {"startswith", begins_or_ends<false>},
  };
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

}  // namespace speclab::templates
