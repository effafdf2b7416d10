// Python's `text.format(...)`.

#include "engines/templates/attributes.h"
#include "engines/templates/format_spec.h"
#include "engines/templates/operators.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

class BraceFormat {
 public:
  BraceFormat(Rendering& rendering, const CallArguments& arguments)
      : rendering_(rendering), arguments_(arguments) {}

  /// @param depth  fields in the specification of a field are one level deeper
  std::string write(std::string_view rest, int depth) {
    std::string text;
    while (!rest.empty()) {
      const std::size_t plain = std::min(rest.find_first_of("{}"), rest.size());
      text += rest.substr(0, plain);
      rest.remove_prefix(plain);
      if (rest.empty()) break;
      if (rest.size() > 1 && rest[1] == rest[0]) {
        text += rest[0];
        rest.remove_prefix(2);
        continue;
      }
      if (rest[0] == '}') rendering_.fail("Single '}' encountered in format string");
      text += field(taken_field(rest), depth);
      rendering_.expect_text_size(text.size());
    }
    return text;
  }

 private:
  /// The text between the braces that begin here.
  std::string_view taken_field(std::string_view& rest) const {
    std::size_t open = 0, at = 0;
    for (; at < rest.size(); ++at) {
      if (rest[at] == '{') ++open;
      if (rest[at] == '}' && --open == 0) break;
    }
    if (at == rest.size()) rendering_.fail("expected '}' before end of string");
    const std::string_view field = rest.substr(1, at - 1);
    rest.remove_prefix(at + 1);
    return field;
  }

  std::string field(std::string_view field, int depth) {
    if (depth > 1) rendering_.fail("Max string recursion exceeded");
    rendering_.step(kStepsOfField);
    const std::size_t colon = field.find(':');
    std::string_view name = field.substr(0, colon);
    const std::string spec = colon == field.npos ? "" : write(field.substr(colon + 1), depth + 1);
    char conversion = 0;
    if (const std::size_t mark = name.find('!'); mark != name.npos) {
      conversion = mark + 1 < name.size() ? name[mark + 1] : '?';
      name = name.substr(0, mark);
    }
    Value value = value_of(name);
    if (conversion == 's')
      value = rendering_.make_text(str(rendering_, value));
    else if (conversion == 'r')
      value = rendering_.make_text(repr(rendering_, value));
    else if (conversion != 0)
      rendering_.fail("a conversion other than !s and !r");
    if (spec.empty()) return str(rendering_, value);
    const FormatSpec parsed = parsed_spec(rendering_, spec);
    const bool is_real_form = std::string_view("eEfFgG%").find(parsed.type) != std::string::npos;
    if (value.is_whole() && parsed.precision >= 0 && !is_real_form)
      rendering_.fail("Precision not allowed in integer format specifier");
    return formatted(rendering_, parsed, value);
  }

  Value value_of(std::string_view name) {
    const std::size_t end = std::min(name.find_first_of(".["), name.size());
    std::string_view first = name.substr(0, end), path = name.substr(end);
    Value value = first_value(first);
    while (!path.empty()) {
      const bool is_item = path[0] == '[';
      path.remove_prefix(1);
      const std::size_t stop = std::min(path.find_first_of(is_item ? "]" : ".["), path.size());
      const std::string key(path.substr(0, stop));
      path.remove_prefix(std::min(path.size(), stop + (is_item ? 1 : 0)));
      const bool is_number = is_item && !key.empty() &&
                             key.find_first_not_of("0123456789") == key.npos && key.size() < 10;
      value = !is_item ? attribute_of(rendering_, value, key)
                       : item_at(rendering_, value,
                                 is_number ? Value(static_cast<Integer>(std::stol(key)))
                                           : rendering_.make_text(key));
    }
    return value;
  }

  Value first_value(std::string_view name) {
    const bool is_number = name.find_first_not_of("0123456789") == name.npos;
    if (!is_number) {
      for (const auto& [key, value] : arguments_.named)
        if (key == name) return value;
      rendering_.fail("format: no argument '" + std::string(name) + "'");
    }
    const std::size_t place = name.empty() ? next_++ : take_number(rendering_, name);
    if (place >= arguments_.positional.size())
      rendering_.fail("format: no argument " + std::to_string(place));
    return arguments_.positional[place];
  }

  Rendering& rendering_;
  const CallArguments& arguments_;
  std::size_t next_ = 0;
};

}  // namespace

Value formatted_by_braces(Rendering& rendering, const std::string& format,
                          const CallArguments& arguments) {
  return rendering.make_text(BraceFormat(rendering, arguments).write(format, 0));
}

}  // namespace speclab::templates
