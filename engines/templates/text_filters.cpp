// Filters that make a text of a value.

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

template <std::string (*change)(std::string_view)>
Value recased(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "a filter of case", arguments, {});
  const Value text = soft_text(rendering, input);
  rendering.step_characters(text.bytes().size());
  return rendering.make_text(change(text.bytes()), text.text().is_markup);
}

/// Words begin behind blanks, hyphens and opening brackets.
std::string with_large_words(std::string_view text) {
  std::u32string word;
  std::string result;
  const auto end_word = [&] {
    if (word.empty()) return;
    result += uppercase(utf8_of(std::u32string_view(word).substr(0, 1)));
    result += lowercase(utf8_of(std::u32string_view(word).substr(1)));
    word.clear();
  };
  for (const char32_t c : characters_of(text)) {
    if (is_space(c) || std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos) {
      end_word();
      append_utf8(c, result);
    } else {
      word.push_back(c);
    }
  }
  end_word();
  return result;
}

Value title(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Value text = soft_text(rendering, input);
  rendering.step_texts(text.bytes().size());
  return recased<with_large_words>(rendering, text, arguments);
}

Value trim(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'trim'", arguments, {"chars?"});
  const Value text = soft_text(rendering, input);
  if (given[0].is_none()) return stripped_text(rendering, text.bytes(), Side::both);
  return stripped_text(rendering, text.bytes(), Side::both, &given.text(0));
}

Value string(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'string'", arguments, {});
  return soft_text(rendering, input);
}

Value replace(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'replace'", arguments, {"old", "new", "count?"});
  return rendering.make_text(replaced(rendering, str(rendering, input), str(rendering, given[0]),
                                      str(rendering, given[1]), given.integer(2, -1)));
}

Value join(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'join'", arguments, {"d?", "attribute?"});
  const std::string separator = given.has(0) ? str(rendering, given[0]) : "";
  std::string text;
  bool is_first = true;
  for (Value item : items_of(rendering, input)) {
    rendering.step();
    if (!given[1].is_none()) item = attribute_by_path(rendering, item, given[1]);
    if (!std::exchange(is_first, false)) text += separator;
    text += str(rendering, item);
    rendering.expect_text_size(text.size());
  }
  return rendering.make_text(std::move(text));
}

Value indent(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'indent'", arguments, {"width?", "first?", "blank?"});
  if (!input.is_text()) rendering.fail("filter 'indent': a " + type_name(input) + "; allowed: str");
  std::string margin = "    ";
  if (given.has(0)) {
    const Value spaces = rendering.make_text(" ");
    margin = given[0].is_text() ? given[0].bytes()
                                : calculated(rendering, Sign::multiply, spaces, given[0]).bytes();
  }
  const Value whole = rendering.make_text(input.bytes() + "\n");
  const Value lines = text_method("splitlines")(rendering, whole, {});
  std::string text = given.truth(1, false) ? margin : "";
  bool is_first = true;
  for (const Value& line : lines.sequence().items) {
    rendering.expect_text_size(text.size() + margin.size() + line.bytes().size());
    if (!std::exchange(is_first, false)) {
      text += "\n";
      if (given.truth(2, false) || !line.bytes().empty()) text += margin;
    }
    text += line.bytes();
  }
  return rendering.make_text(std::move(text));
}

Value format_filter(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty())
    rendering.fail("filter 'format': positional and named arguments at once");
  Value values = rendering.make_sequence(SequenceKind::tuple, arguments.positional);
  if (!arguments.named.empty()) {
    Mapping named;
    for (const auto& [name, value] : arguments.named)
      named.items.emplace_back(rendering.make_text(name), value);
    values = rendering.make_mapping(std::move(named));
  }
  return formatted_by_percent(rendering, str(rendering, input), values);
}

Value truncate(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'truncate'", arguments,
                         {"length?", "killwords?", "end?", "leeway?"});
  const Value text = soft_text(rendering, input);
  const std::string end = given.text(2, "...");
  rendering.step_bytes(2 * end.size());
  const auto end_size = static_cast<Integer>(count_characters(end));
  const Integer length = given.integer(0, 255), leeway = given.integer(3, 5);
  if (length < end_size || leeway < 0)
    rendering.fail("filter 'truncate': length shorter than its end, or leeway below 0");
  const auto size = static_cast<Integer>(text.text().num_characters);
  if (size - leeway <= length) return text;
  std::string kept(
      characters_between(rendering, text.text(), 0, static_cast<std::size_t>(length - end_size)));
  if (!given.truth(1, false)) kept = kept.substr(0, kept.rfind(' '));
  return rendering.make_text(kept + end);
}

Value word_count(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'wordcount'", arguments, {});
  std::size_t count = 0;
  bool is_inside = false;
  const Value text = soft_text(rendering, input);
  rendering.step_characters(text.bytes().size());
  for (const char32_t c : characters_of(text.bytes())) {
    const bool is_word = c == '_' || is_alphabetic(c) || is_numeric(c);
    count += is_word && !is_inside;
    is_inside = is_word;
  }
  return Value::of_count(count);
}

Value center(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'center'", arguments, {"width?"});
  return text_method("center")(rendering, soft_text(rendering, input),
                               {{Value(given.integer(0, 80))}, {}});
}

Value escape(Rendering& rendering, const Value& input, const CallArguments&) {
  if (input.is_text() && input.text().is_markup) return input;
  return rendering.make_text(escaped_markup(rendering, str(rendering, input)), true);
}
Value force_escape(Rendering& rendering, const Value& input, const CallArguments&) {
  return rendering.make_text(escaped_markup(rendering, str(rendering, input)), true);
}
Value safe(Rendering& rendering, const Value& input, const CallArguments&) {
  return rendering.make_text(str(rendering, input), true);
}

}  // namespace

const FilterTable& text_filters() {
  static const FilterTable table = {
      {"capitalize", recased<capitalised>},
      {"center", center},
      {"e", escape},
      {"escape", escape},
      {"forceescape", force_escape},
      {"format", format_filter},
      {"indent", indent},
      {"join", join},
      {"lower", recased<lowercase>},
      {"replace", replace},
      {"safe", safe},
      {"string", string},
      {"title", title},
      {"trim", trim},
      {"truncate", truncate},
      {"upper", recased<uppercase>},
      {"wordcount", word_count},
  };
  return table;
}

}  // namespace speclab::templates
