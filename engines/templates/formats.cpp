// Python's `text % values` and `text.format(...)`.

#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

class PercentFormat {
 public:
  PercentFormat(Rendering& rendering, std::string_view format, const Value& values)
      : rendering_(rendering), rest_(format), values_(values) {}

  std::string write() {
    while (!rest_.empty()) {
      text_ += taken_until(rest_, "%");
      if (rest_.empty()) break;
      rest_.remove_prefix(1);
      write_value();
      rendering_.expect_text_size(text_.size());
    }
    const bool is_tuple = is_row();
    if (is_tuple && num_used_ < values_.sequence().items.size())
      rendering_.fail("not all arguments converted during string formatting");
    if (!is_tuple && num_used_ == 0 && !values_.is(Kind::mapping) && !values_.is(Kind::sequence))
      rendering_.fail("not all arguments converted during string formatting");
    return std::move(text_);
  }

 private:
  bool is_row() const {
    return values_.is(Kind::sequence) && values_.sequence().kind == SequenceKind::tuple;
  }

  Value next_value() {
    const std::size_t count = is_row() ? values_.sequence().items.size() : 1;
    if (num_used_ >= count) rendering_.fail("not enough arguments for format string");
    return is_row() ? values_.sequence().items[num_used_++] : (++num_used_, values_);
  }

  /// The value of %(name)s.
  Value named_value() {
    const std::size_t end = rest_.find(')');
    if (end == rest_.npos || !values_.is(Kind::mapping))
      rendering_.fail("format requires a mapping");
    const Value* found = item_of_text(rendering_, values_.mapping(), rest_.substr(1, end - 1));
    if (!found) rendering_.fail("no key '" + std::string(rest_.substr(1, end - 1)) + "'");
    rest_.remove_prefix(end + 1);
    return *found;
  }

  void write_value() {
    rendering_.step(kStepsOfField);
    std::optional<Value> named;
    if (rest_.starts_with('(')) named = named_value();
    FormatSpec spec;
    spec.align = '>';
    for (; !rest_.empty() && std::string_view("-+ 0#").find(rest_[0]) != std::string_view::npos;
         rest_.remove_prefix(1)) {
      if (rest_[0] == '-') spec.align = '<';
      if (rest_[0] == '0') spec.fill_zero = true;
      if (rest_[0] == '#') spec.alternate = true;
      if (rest_[0] == '+' || (rest_[0] == ' ' && spec.sign != '+')) spec.sign = rest_[0];
    }
    spec.width = take_number(rendering_, rest_);
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      spec.precision = static_cast<int>(take_number(rendering_, rest_));
    }
    if (rest_.empty()) rendering_.fail("incomplete format");
    spec.type = rest_[0];
    rest_.remove_prefix(1);
    if (spec.type == '%') {
      text_ += '%';
      return;
    }
    write(spec, named ? *named : next_value());
  }

  void write(FormatSpec& spec, const Value& value) {
    if (spec.type == 'r' || spec.type == 's') {
      const std::string shown = spec.type == 'r' ? repr(rendering_, value) : str(rendering_, value);
      spec.type = 's';
      spec.fill_zero = false;
      text_ += formatted(rendering_, spec, rendering_.make_text(shown));
      return;
    }
    if (spec.align == '<') spec.fill_zero = false;
    if (spec.type == 'c' && value.is_text()) {
      text_ += value.bytes();
      return;
    }
    if (std::string_view("diuxXoeEfFgGc").find(spec.type) == std::string_view::npos)
      rendering_.fail(std::string("the format %") +
                      (static_cast<signed char>(spec.type) < 0 ? '?' : spec.type) +
                      "; allowed: %s %r %d %i %u %x %X %o %e %E %f %F %g %G %c %%");
    if (!value.is_number())
      rendering_.fail(std::string("%") + spec.type + " format: a number is required, not " +
                      type_name(value));
    const bool is_decimal_form = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    if (is_decimal_form) spec.type = 'd';
    const bool cuts = is_decimal_form && value.is(Kind::real);
    text_ += formatted(rendering_, spec, cuts ? whole_part(rendering_, value.number()) : value);
  }

  Rendering& rendering_;
  std::string_view rest_;
  const Value& values_;
  std::size_t num_used_ = 0;
  std::string text_;
};

class BraceFormat {
 public:
  BraceFormat(Rendering& rendering, const CallArguments& arguments)
      : rendering_(rendering), arguments_(arguments) {}

  /// @param depth  fields in the specification of a field are one level deeper
  std::string write(std::string_view rest, int depth) {
    std::string text;
    while (!rest.empty()) {
      text += taken_until(rest, "{}");
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

Value formatted_by_percent(Rendering& rendering, const std::string& format, const Value& values) {
  return rendering.make_text(PercentFormat(rendering, format, values).write());
}

Value formatted_by_braces(Rendering& rendering, const std::string& format,
                          const CallArguments& arguments) {
  return rendering.make_text(BraceFormat(rendering, arguments).write(format, 0));
}

}  // namespace speclab::templates
